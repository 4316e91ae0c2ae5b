import type { SearchProgress } from '../schemas/index.js';

/** Milliseconds between two reports of the same phase. */
const interval = 50;

/** Passes on the first report of a phase, its last, and of those between no more than eyes can follow. */
export class Throttle {
  #phase: SearchProgress['phase'] | undefined;
  #last = 0;

  constructor(private readonly report: (progress: SearchProgress) => void) {}

  offer(progress: SearchProgress): void {
    const now = performance.now();
    const isNew = progress.phase !== this.#phase;
    if (!isNew && progress.pairs < progress.total && now - this.#last < interval) return;
    this.#phase = progress.phase;
    this.#last = now;
    this.report(progress);
  }
}
