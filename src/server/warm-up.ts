import { BertQeError } from '../common/errors.js';
import { RequestScoring } from './scheduling/index.js';
import type { Service } from './service.js';

const words =
  'the wind can set a light bridge deck swinging until the cables that carry it begin to give way'.split(' ');

/** Enough for a measurement of the speed, little enough not to delay the start. */
const pairs = Array.from({ length: 24 }, (_, i) => ({
  a: 'why do bridges sway',
  b: Array.from({ length: 100 }, (_, j) => words[(i + j) % words.length]).join(' ') + i,
}));

/** Runs every model before the first request does: a server that cannot score does not start. */
export async function warmUp({ scheduler, variants }: Service): Promise<void> {
  const scoring = new RequestScoring(scheduler, {
    client: 'warm-up',
    signal: AbortSignal.timeout(120_000),
  });
  const engines = new Set(variants.flatMap((variant) => Object.values(variant.engines)));
  for (const engine of engines) {
    const scores = await scoring.scorerOf(engine).score(pairs);
    const wrong = scores.find((score) => !(score >= 0 && score <= 1));
    if (wrong !== undefined) {
      throw new BertQeError(
        'failure',
        `The model ${engine.name} gave ${wrong} for a plain sentence; it cannot be served.`,
      );
    }
  }
}
