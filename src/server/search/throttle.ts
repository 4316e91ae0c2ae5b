import type { SearchProgress } from '../schemas/index.js';

/** Milliseconds between two reports of the same phase: about what eyes can follow. */
const intervalMs = 50;

/** Passes on the first and the last report of a phase, and between them one in an interval. */
export function throttled(report: (progress: SearchProgress) => void): typeof report {
  let phase: SearchProgress['phase'] | undefined;
  let last = 0;
  return (progress) => {
    const now = performance.now();
    const isNew = progress.phase !== phase;
    if (!isNew && progress.pairs < progress.total && now - last < intervalMs) return;
    phase = progress.phase;
    last = now;
    report(progress);
  };
}
