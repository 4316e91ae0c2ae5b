import type { TextPair } from '../../bert/index.js';
import { getOrInsert } from '../../common/get-or-insert.js';
import type { Job } from './job.js';
import type { ServedModel } from './served-model.js';

/** Pairs of one or more jobs that go to a model together. */
export class Round {
  /** Indexes of each job's pairs. */
  readonly #parts = new Map<Job, number[]>();
  #abandonment: AbortController | undefined;
  #tokens = 0;

  constructor(readonly model: ServedModel) {}

  add(job: Job, index: number): void {
    this.#tokens += job.tokens[index];
    getOrInsert(this.#parts, job, () => []).push(index);
  }

  get jobs(): readonly Job[] {
    return [...this.#parts.keys()];
  }

  get pairs(): TextPair[] {
    const pairs: TextPair[] = [];
    for (const [job, indexes] of this.#parts) {
      for (const index of indexes) pairs.push(job.request.pairs[index]);
    }
    return pairs;
  }

  get tokens(): number {
    return this.#tokens;
  }

  /** Aborts when no job wants its scores any more. A lone job's own signal serves for that. */
  get signal(): AbortSignal | undefined {
    if (this.#parts.size === 1) return this.jobs[0].request.signal;
    this.#abandonment ??= new AbortController();
    return this.#abandonment.signal;
  }

  get isAbandoned(): boolean {
    return this.jobs.every((job) => job.isOver);
  }

  /** Gives each job its scores. */
  deliver(odds: Float64Array): void {
    let from = 0;
    for (const [job, indexes] of this.#parts) {
      job.deliver(indexes, odds, from);
      from += indexes.length;
    }
  }

  /** The same pairs in a round for each job that still wants them. */
  split(): Round[] {
    return [...this.#parts]
      .filter(([job]) => !job.isOver)
      .map(([job, indexes]) => {
        const round = new Round(this.model);
        for (const index of indexes) round.add(job, index);
        return round;
      });
  }

  /** Must be called after a job was cancelled. */
  noticeCancelled(): void {
    if (this.isAbandoned) this.#abandonment?.abort();
  }
}
