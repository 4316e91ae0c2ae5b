/** How far an experiment is. */
export interface ExperimentProgress {
  /** The step: a system's name, or an index. */
  readonly step: string;
  readonly done: number;
  readonly total?: number;
  /** The part of the model work that was missing at the start and is done now, 0 to 1; absent before it starts. */
  readonly share?: number;
}

/** Passes progress on, and knows when to stop. */
export class Tracker {
  #doneWork = 0;

  constructor(
    readonly signal: AbortSignal | undefined,
    private readonly onProgress: ((progress: ExperimentProgress) => void) | undefined,
  ) {}

  /** Model work ahead, in any unit. */
  totalWork = 0;

  update(step: string, done: number, total?: number): void {
    this.onProgress?.({
      step,
      done,
      ...(total === undefined ? {} : { total }),
      ...(this.totalWork > 0 && this.#doneWork > 0 ? { share: this.#doneWork / this.totalWork } : {}),
    });
  }

  /** So much of the work ahead is behind. */
  worked(work: number): void {
    this.#doneWork += work;
  }
}
