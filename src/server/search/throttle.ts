import type { SearchProgress } from '../schemas/index.js';

/** Milliseconds between two reports of the same phase: about what eyes can follow. */
const intervalMs = 50;

/** Passes on the first and the last report of a phase, and between them one in an interval. */
export class Throttle {
  #phase: SearchProgress['phase'] | undefined;
  #last = 0;

  constructor(private readonly report: (progress: SearchProgress) => void) {}

  offer(progress: SearchProgress): void {
    const now = performance.now();
    const isNew = progress.phase !== this.#phase;
    if (!isNew && progress.pairs < progress.total && now - this.#last < intervalMs) return;
    this.#phase = progress.phase;
    this.#last = now;
    this.report(progress);
  }
}
