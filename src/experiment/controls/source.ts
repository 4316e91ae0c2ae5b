import { hashModel } from '../../bert/index.js';
import { hashJson } from '../../common/hash.js';
import { Lazy } from '../../common/lazy.js';
import { Cedr, type NetworkReranker, Nprf } from '../../controls/index.js';
import { Birch, type InputDocument, type RerankCost } from '../../expansion/index.js';
import { withTexts } from '../../runs/index.js';
import { type EvidenceContext, type QueryCost, type ScoreSource, storedScores } from '../evidence.js';
import { sumOfTimings, type Timing } from '../store/timing.js';
import type { ControlSystem } from '../systems.js';

/** The scores of a query's candidates by a control, from which the ranking for any weights follows. */
export interface ControlScores {
  readonly ids: readonly string[];
  readonly initial: readonly number[];
  /** Of each document: the scores of its best sentences, or the network's one score. */
  readonly parts: readonly (readonly number[])[];
  readonly cost: QueryCost;
  readonly timing?: Timing | undefined;
}

/** A control as a fold has it. */
export interface ControlSource extends ScoreSource<ControlScores> {
  close(): Promise<void>;
}

/** The scores of some documents, without their ids. */
type Scored = Pick<ControlScores, 'parts' | 'initial' | 'timing'> & {
  readonly ids: readonly string[];
  readonly cost: RerankCost;
};

type Score = (query: string, documents: readonly InputDocument[], signal?: AbortSignal) => Promise<Scored>;

interface OpenedControl {
  readonly identity: string;
  /** Opens the model when the first score is missing. */
  readonly open: () => Promise<{ readonly score: Score; close(): Promise<void> }>;
}

/** The control of a fold; `folder` is that of its trained model, where it has one. */
export async function controlSource(
  system: ControlSystem,
  fold: number,
  folder: string | undefined,
  context: EvidenceContext & { readonly machine: string },
): Promise<ControlSource> {
  const { queries, initial, store, documentsKey, documents } = context;
  const { identity, open } =
    folder === undefined ? await birchOf(system, fold, context) : await trainedOf(folder, system, context);
  const model = new Lazy(open);
  const candidatesOf = (query: string) => (initial.get(query) ?? []).slice(0, system.depth);
  const keyOf = (id: string): string =>
    hashJson('control 1', system.control, identity, documentsKey, queries.get(id)!.text, candidatesOf(id));
  const source = storedScores(store, keyOf, async (id, signal): Promise<ControlScores> => {
    const query = queries.get(id)!;
    const { score } = await model.get();
    const texts = await withTexts(query, candidatesOf(id), documents);
    const { cost, ...scored } = await score(query.text, texts, signal);
    const { pairs, tokens, flops } = cost;
    return { ...scored, cost: { pairs, tokens, flops } };
  });
  return {
    ...source,
    async close() {
      await (await model.take())?.close();
    },
  };
}

async function birchOf(
  { size, depth }: ControlSystem,
  fold: number,
  { models }: EvidenceContext,
): Promise<OpenedControl> {
  const scorer = await models.get(size!, 'fineTuned', fold);
  const birch = new Birch(scorer, { depth });
  const score: Score = async (query, documents, signal) => {
    scorer.takeTiming();
    const { candidates, cost } = await birch.evidence(query, documents, { signal });
    return {
      ids: candidates.map(({ id }) => id),
      initial: candidates.map((candidate) => candidate.initial!),
      parts: candidates.map(({ sentences }) => sentences.map((sentence) => sentence.score)),
      cost,
      timing: sumOfTimings([scorer.takeTiming()]),
    };
  };
  // The store of scores closes the model.
  return { identity: scorer.identity, open: async () => ({ score, close: async () => undefined }) };
}

async function trainedOf(
  folder: string,
  { control, depth }: ControlSystem,
  { machine }: { readonly machine: string },
): Promise<OpenedControl> {
  return {
    identity: await hashModel(folder),
    open: async () => {
      const options = { model: folder, depth };
      const reranker: NetworkReranker =
        control === 'NPRF-DRMM' ? await Nprf.load(options) : await Cedr.load(options);
      return {
        score: async (query, documents, signal) => {
          const { candidates, cost } = await reranker.scores(query, documents, { signal });
          return {
            ids: candidates.map(({ id }) => id),
            initial: candidates.map((candidate) => candidate.initial!),
            parts: candidates.map((candidate) => [candidate.score]),
            cost,
            timing: { seconds: cost.seconds, machine },
          };
        },
        close: () => reranker.close(),
      };
    },
  };
}
