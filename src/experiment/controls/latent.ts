import { hashModel } from '../../bert/index.js';
import { hashJson } from '../../common/hash.js';
import { type LatentFeedback, type LatentVector, Snrm } from '../../controls/index.js';
import {
  crossValidateControlBy,
  type CrossValidated,
  type CrossValidationContext,
} from '../cross-validate.js';
import { type QueryCost, storedScores } from '../evidence.js';
import { describeMachine, type Timing } from '../store/timing.js';
import type { ControlSystem } from '../systems.js';

/** A query as SNRM has it, by which documents are searched with any feedback. */
interface LatentQuery {
  readonly vector: LatentVector;
  readonly cost: QueryCost;
  readonly timing: Timing;
}

const grid: readonly LatentFeedback[] = [10, 5, 20].flatMap((documents) =>
  [20, 10, 50].flatMap((terms) => [0.5, 0.1, 0.2, 1, 2].map((weight) => ({ documents, terms, weight }))),
);

/** Searches with SNRM; SNRM+PRF chooses documents, terms and weight of the feedback on each fold's validation queries. */
export async function crossValidateLatent(
  system: ControlSystem,
  folder: string,
  context: CrossValidationContext,
): Promise<CrossValidated> {
  const { experiment, folds, queries, store } = context;
  const depth = experiment.retrieve;
  const settings = system.control === 'SNRM+PRF' ? grid : [undefined];
  const identity = await hashModel(folder);
  const snrm = await Snrm.load({ model: folder });
  try {
    const latent = await snrm.latentIndex();
    const keyOf = (id: string): string =>
      hashJson('latent 1', system.control, identity, queries.get(id)!.text, depth);
    const source = storedScores(store, keyOf, async (id, signal): Promise<LatentQuery> => {
      const { text } = queries.get(id)!;
      const started = performance.now();
      const [vector] = await snrm.represent([text], signal);
      latent.search(vector, { depth }, settings[0]);
      const seconds = (performance.now() - started) / 1000;
      const cost = { pairs: 0, tokens: 0, flops: snrm.flopsOf(text) };
      return { vector, cost, timing: { seconds, machine: describeMachine('cpu') } };
    });
    const sources = folds.map(() => source);
    return await crossValidateControlBy(system, sources, context, {
      version: 'latent 1',
      grid: settings,
      rank: (_, { vector }, feedback) => latent.search(vector, { depth }, feedback),
      describe: (feedback) =>
        feedback ? `${feedback.documents} / ${feedback.terms} / ${feedback.weight}` : '–',
    });
  } finally {
    await snrm.close();
  }
}
