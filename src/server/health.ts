import { RequestScoring } from './scheduling/index.js';
import type { Service } from './service.js';

export interface HealthState {
  readonly status: 'ok' | 'failing';
  readonly score?: number;
  readonly milliseconds: number;
}

const pair = { a: 'does the model score', b: 'The model scores this sentence.' };

/** An answer is good for so long: probes must not become a load. */
const goodForMs = 1000;

/** A model that takes longer for one pair than this is as good as dead. */
const patienceMs = 10_000;

/** Runs a real pair through every model of the default variant. */
export class Health {
  #latest: { readonly at: number; readonly state: Promise<HealthState> } | undefined;

  constructor(private readonly service: Service) {}

  check(): Promise<HealthState> {
    const now = performance.now();
    if (!this.#latest || now - this.#latest.at > goodForMs) this.#latest = { at: now, state: this.#run() };
    return this.#latest.state;
  }

  async #run(): Promise<HealthState> {
    const { scheduler, variants } = this.service;
    const started = performance.now();
    // A client of its own: it gets its turn however long the queues of others are.
    const scoring = new RequestScoring(scheduler, {
      client: 'health',
      signal: AbortSignal.timeout(patienceMs),
    });
    const milliseconds = () => performance.now() - started;
    try {
      const engines = new Set(Object.values(variants[0].engines));
      const scores = await Promise.all([...engines].map((engine) => scoring.scorerOf(engine).score([pair])));
      const [[score]] = scores;
      const isSound = scores.every(([value]) => value > 0 && value < 1);
      return { status: isSound ? 'ok' : 'failing', score, milliseconds: milliseconds() };
    } catch {
      return { status: 'failing', milliseconds: milliseconds() };
    }
  }
}
