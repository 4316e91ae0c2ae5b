import type { TextPair } from '../../bert/index.js';
import type { Engine } from './engine.js';
import type { Job } from './job.js';

/** Pairs of several calls that go to a model together. */
export class Round {
  /** Fires when nobody waits for any of it: what no worker has yet is then withdrawn. */
  readonly abandonment = new AbortController();
  readonly #places = new Map<Job, number[]>();
  #tokens = 0;

  constructor(readonly engine: Engine) {}

  add(job: Job, place: number): void {
    this.#tokens += job.lengths[place];
    const places = this.#places.get(job);
    if (places) places.push(place);
    else this.#places.set(job, [place]);
  }

  get jobs(): readonly Job[] {
    return [...this.#places.keys()];
  }

  get pairs(): TextPair[] {
    return [...this.#places].flatMap(([job, places]) => places.map((place) => job.request.pairs[place]));
  }

  get tokens(): number {
    return this.#tokens;
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
    if (this.jobs.every((job) => job.isOver)) this.abandonment.abort();
  }
}
