import { hashModel } from '../../bert/index.js';
import { hashJson } from '../../common/hash.js';
import { Lazy } from '../../common/lazy.js';
import { Cedr, type NetworkReranker, Nprf } from '../../controls/index.js';
import { Birch, type InputDocument, type RankedInput, type RerankCost } from '../../expansion/index.js';
import { withTexts } from '../../runs/index.js';
import {
  type EvidenceContext,
  queryCost,
  type QueryCost,
  type ScoreSource,
  storedScores,
} from '../evidence.js';
import { describeMachine, sumOfTimings, type Timing } from '../store/timing.js';
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

/** The model of a control. */
interface Control {
  readonly identity: string;
  /** The parts of each document's score, as {@link ControlScores} has them. */
  score(
    query: string,
    documents: readonly InputDocument[],
    signal: AbortSignal | undefined,
  ): Promise<{
    readonly candidates: readonly (RankedInput & { readonly parts: readonly number[] })[];
    readonly cost: RerankCost;
    readonly timing: Timing | undefined;
  }>;
  close(): Promise<void>;
}

/** The control of a fold; `folder` is that of its trained model, where it has one. */
export async function controlSource(
  system: ControlSystem,
  fold: number,
  folder: string | undefined,
  context: EvidenceContext,
): Promise<ControlSource> {
  const { queries, initial, store, documentsKey, documents } = context;
  const control =
    folder === undefined ? await birchOf(system, fold, context) : await trainedOf(folder, system);
  const { identity } = control;
  const candidatesOf = (query: string) => (initial.get(query) ?? []).slice(0, system.depth);
  const keyOf = (id: string): string =>
    hashJson('control 1', system.control, identity, documentsKey, queries.get(id)!.text, candidatesOf(id));
  const source = storedScores(store, keyOf, async (id, signal): Promise<ControlScores> => {
    const query = queries.get(id)!;
    const texts = await withTexts(query, candidatesOf(id), documents);
    const { candidates, cost, timing } = await control.score(query.text, texts, signal);
    return {
      ids: candidates.map((candidate) => candidate.id),
      initial: candidates.map((candidate) => candidate.initial!),
      parts: candidates.map(({ parts }) => parts),
      timing,
      cost: queryCost(cost),
    };
  });
  return { ...source, close: () => control.close() };
}

async function birchOf(
  { size, depth }: ControlSystem,
  fold: number,
  { models }: EvidenceContext,
): Promise<Control> {
  const scorer = await models.get(size!, 'fineTuned', fold);
  const birch = new Birch(scorer, { depth });
  return {
    identity: scorer.identity,
    async score(query, documents, signal) {
      scorer.takeTiming();
      const { candidates, cost } = await birch.evidence(query, documents, { signal });
      const scored = candidates.map((candidate) => ({
        ...candidate,
        parts: candidate.sentences.map(({ score }) => score),
      }));
      return { candidates: scored, cost, timing: sumOfTimings([scorer.takeTiming()]) };
    },
    // The store of scores closes the model.
    close: async () => undefined,
  };
}

/** A control with a network, which is loaded when the first score is missing. */
async function trainedOf(folder: string, { control, depth }: ControlSystem): Promise<Control> {
  const options = { model: folder, depth };
  const model = new Lazy<NetworkReranker>(() =>
    control === 'NPRF-DRMM' ? Nprf.load(options) : Cedr.load(options),
  );
  return {
    identity: await hashModel(folder),
    async score(query, documents, signal) {
      const reranker = await model.get();
      const { candidates, cost } = await reranker.scores(query, documents, { signal });
      const scored = candidates.map((candidate) => ({ ...candidate, parts: [candidate.score] }));
      return { candidates: scored, cost, timing: { seconds: cost.seconds, machine: describeMachine('cpu') } };
    },
    async close() {
      await (await model.take())?.close();
    },
  };
}
