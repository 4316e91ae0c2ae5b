import type { z } from 'zod';
import { failureError } from '../common/errors.js';
import type { ServedVariant } from './catalogue/index.js';
import type { healthAnswer } from './schemas/index.js';
import { RequestScoring, type Scheduler } from './scheduling/index.js';

/** The models to probe, and the way to run them. */
interface ProbedModels {
  readonly scheduler: Scheduler;
  readonly variants: readonly ServedVariant[];
}

const words =
  'the wind can set a light bridge deck swinging until the cables that carry it begin to give way'.split(' ');

/** Enough pairs to measure the speed, few enough not to delay the start. */
const startPairs = Array.from({ length: 24 }, (_, i) => ({
  a: 'why do bridges sway',
  b: Array.from({ length: 100 }, (_, j) => words[(i + j) % words.length]).join(' ') + i,
}));

const startTimeoutMs = 120_000;

/** Runs every model once, so that a server that cannot score does not start. */
export async function probeModels({ scheduler, variants }: ProbedModels): Promise<void> {
  const scoring = scoringFor(scheduler, 'warm-up', startTimeoutMs);
  for (const model of new Set(variants.flatMap((variant) => Object.values(variant.models)))) {
    const scores = await scoring.scorerOf(model).score(startPairs);
    const wrong = scores.find((score) => !(score >= 0 && score <= 1));
    if (wrong !== undefined) {
      throw failureError(`The model ${model.name} gave ${wrong} for a plain sentence; it cannot be served.`);
    }
  }
}

type HealthState = z.output<typeof healthAnswer>;

const healthPair = { a: 'does the model score', b: 'The model scores this sentence.' };

/** Milliseconds for which a health state is reused: probes must not become a load. */
const healthReuseMs = 1000;

const healthTimeoutMs = 10_000;

/** The health of the default variant: a real pair is run through each of its models. */
export class HealthCheck {
  #latest: { readonly at: number; readonly state: Promise<HealthState> } | undefined;

  constructor(private readonly models: ProbedModels) {}

  run(): Promise<HealthState> {
    const now = performance.now();
    if (!this.#latest || now - this.#latest.at > healthReuseMs) {
      this.#latest = { at: now, state: checkHealth(this.models) };
    }
    return this.#latest.state;
  }
}

async function checkHealth({ scheduler, variants }: ProbedModels): Promise<HealthState> {
  const started = performance.now();
  const scoring = scoringFor(scheduler, 'health', healthTimeoutMs);
  const milliseconds = () => performance.now() - started;
  try {
    const models = [...new Set(Object.values(variants[0].models))];
    const scores = await Promise.all(models.map((model) => scoring.scorerOf(model).score([healthPair])));
    const isSound = scores.every(([value]) => value > 0 && value < 1);
    return { status: isSound ? 'ok' : 'failing', score: scores[0][0], milliseconds: milliseconds() };
  } catch {
    return { status: 'failing', milliseconds: milliseconds() };
  }
}

/** Scoring under a client of its own, which gets its fair share however long the queues of other clients are. */
function scoringFor(scheduler: Scheduler, client: string, timeoutMs: number): RequestScoring {
  return new RequestScoring(scheduler, { client, signal: AbortSignal.timeout(timeoutMs) });
}
