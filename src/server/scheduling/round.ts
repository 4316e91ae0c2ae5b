import type { TextPair } from '../../bert/index.js';
import type { Engine } from './engine.js';
import type { Job } from './job.js';

/** Pairs of several calls that go to a model together. */
export class Round {
  #abandonment: AbortController | undefined;
  readonly #places = new Map<Job, number[] | Uint32Array>();
  #tokens = 0;

  constructor(readonly engine: Engine) {}

  add(job: Job, place: number): void {
    this.#tokens += job.lengths[place];
    const places = this.#places.get(job);
    if (Array.isArray(places)) places.push(place);
    else this.#places.set(job, [place]);
  }

  /** Adds all that is left of a call, of which it has none yet. */
  addRest(job: Job): void {
    const places = job.takeRest();
    for (const place of places) this.#tokens += job.lengths[place];
    this.#places.set(job, places);
  }

  get jobs(): readonly Job[] {
    return [...this.#places.keys()];
  }

  get pairs(): TextPair[] {
    const pairs: TextPair[] = [];
    for (const [job, places] of this.#places) {
      for (const place of places) pairs.push(job.request.pairs[place]);
    }
    return pairs;
  }

  get tokens(): number {
    return this.#tokens;
  }

  /** Fires when nobody waits for any of it: what no worker has begun is then left. A lone call's own, where it has one. */
  get signal(): AbortSignal | undefined {
    if (this.#places.size === 1) return this.jobs[0].request.signal;
    this.#abandonment ??= new AbortController();
    return this.#abandonment.signal;
  }

  get isAbandoned(): boolean {
    return this.jobs.every((job) => job.isOver);
  }

  /** Gives each call its scores. */
  deliver(odds: Float64Array): void {
    let from = 0;
    for (const [job, places] of this.#places) {
      job.finish(places, odds, from);
      from += places.length;
    }
  }

  /** The same work, a round for each call that still wants it. */
  apart(): Round[] {
    return [...this.#places]
      .filter(([job]) => !job.isOver)
      .map(([job, places]) => {
        const round = new Round(this.engine);
        for (const place of places) round.add(job, place);
        return round;
      });
  }

  /** To be called when a call has been given up. */
  noticeCancelled(): void {
    if (this.isAbandoned) this.#abandonment?.abort();
  }
}
