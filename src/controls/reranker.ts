import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Graph } from '../bert/onnx/index.js';
import { closedOnFailure } from '../common/closing.js';
import { concat, slices } from '../common/concat.js';
import { type OptionNames, refuseUnknownOptions } from '../common/known-options.js';
import { throwIfAborted, usageError } from '../common/errors.js';
import {
  checkQuery,
  costOf,
  eachPhase,
  initialRanking,
  type InputDocument,
  type QueryOptions,
  type RankedInput,
  type RerankCost,
  explainedPlace,
  type RerankedDocument,
  resultsByScore,
} from '../expansion/index.js';
import { type FeedBatch, openNetworkWorker, readWeights } from '../training/network/index.js';

/** Options of a re-ranker whose scores a trained network gives. */
export interface ControlOptions {
  /** Documents that are re-ranked; those below keep their order beneath them (1000). */
  readonly depth?: number;
  /** Share of the network's score against the initial score (1: the network's alone, as published). */
  readonly share?: number;
}

/** Options of a control's `load`. */
export interface ControlLoadOptions extends ControlOptions {
  /** Folder of a trained model. */
  readonly model: string;
  readonly threads?: number;
}

/** Options of one call of a control's `rerank`. */
export interface ControlRerankOptions extends QueryOptions {
  /** Only the first places are returned. All documents are scored. */
  readonly topK?: number;
  /** Asks for a {@link ControlExplanation} (false). */
  readonly explain?: boolean;
  /** Names the query in the explanation (`1`). */
  readonly queryId?: string;
}

/** A document with the scores that its place is made of. */
export interface ControlDocument {
  readonly id: string;
  /** The network's score. */
  readonly score: number;
  /** I(q,d); null where there were no initial scores. */
  readonly initial: number | null;
  readonly final: number;
  /** Places from 1. */
  readonly ranks: { readonly initial: number; readonly final: number };
}

/** The explanation of a query's ranking by a control. */
export interface ControlExplanation {
  readonly query: string;
  readonly id: string;
  readonly method: string;
  /** The documents returned that were re-ranked, best first. */
  readonly documents: readonly ControlDocument[];
  readonly cost: RerankCost;
}

/** A query re-ranked by a control. */
export interface ControlReranking {
  readonly results: readonly RerankedDocument[];
  readonly complete: true;
  readonly cost: RerankCost;
  /** Present where it was asked for. */
  readonly explanation?: ControlExplanation;
}

/** The network's scores of a query's candidates, in the order of the initial ranking. */
export interface ControlScores {
  readonly candidates: readonly (RankedInput & { readonly score: number })[];
  readonly cost: RerankCost;
}

export interface PreparedQuery {
  readonly batches: readonly FeedBatch[];
  /** The candidates' scores from all that the network gives, in the order of the candidates. */
  scoresOf(outputs: Float32Array): Float32Array;
  readonly tokens: number;
  readonly flops: number;
}

const RERANK_OPTIONS: OptionNames<ControlRerankOptions> = {
  topK: true,
  explain: true,
  queryId: true,
  signal: true,
  onProgress: true,
};

export const LOAD_OPTIONS: OptionNames<ControlLoadOptions> = {
  depth: true,
  share: true,
  model: true,
  threads: true,
};

/** A trained network in a thread of its own. */
export interface TrainedNetwork {
  /** The scores of all batches, one after the other. */
  score(batches: readonly FeedBatch[]): Promise<Float32Array>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** Opens the network of a model's folder for a re-ranker; ends its thread where the re-ranker cannot be made. */
export async function withNetwork<R>(
  { model, threads = availableParallelism() }: ControlLoadOptions,
  shapes: ReadonlyMap<string, readonly number[]>,
  scoring: Graph,
  make: (network: TrainedNetwork) => R,
): Promise<R> {
  const parameters = await readWeights(join(model, 'model.safetensors'), shapes);
  // Nothing is trained.
  const settings = { epsilon: 0, dropout: 0, seed: 1, threads };
  const worker = await openNetworkWorker({ parameters, scoring }, settings);
  const network: TrainedNetwork = {
    score: (batches) => worker.call('score', batches),
    close: () => worker.close(),
  };
  return closedOnFailure(network, make);
}

/** Batches between two checks of the signal. */
const batchesPerCall = 8;

/** A re-ranker whose scores come from a trained network. */
export abstract class NetworkReranker {
  readonly settings: Required<ControlOptions>;
  protected readonly network: TrainedNetwork;

  /** @param method The name of the method, in explanations and messages. */
  protected constructor(
    readonly method: string,
    network: TrainedNetwork,
    options: ControlOptions,
  ) {
    this.settings = controlSettings(method, options);
    this.network = network;
  }

  /** Makes the batches of a query's candidates. */
  protected abstract prepare(query: string, candidates: readonly RankedInput[]): PreparedQuery;

  /** Ends the network's thread. */
  async close(): Promise<void> {
    await this.network.close();
  }

  /** Re-ranks the documents of one query: texts, or objects with a text and a score. */
  async rerank(
    query: string,
    documents: readonly (string | InputDocument)[],
    options: ControlRerankOptions = {},
  ): Promise<ControlReranking> {
    refuseUnknownOptions('rerank', options, RERANK_OPTIONS);
    const { topK, explain, queryId = '1', ...call } = options;
    if (topK !== undefined) requireCount(this.method, { topK });
    const { candidates, cost } = await this.scores(query, documents, call);
    const { depth, share } = this.settings;
    const { places, results } = resultsByScore(
      candidates.map((one) => ({ ...one, final: controlScore(one.score, one.initial, share) })),
      initialRanking(documents).slice(depth),
      topK ?? documents.length,
    );
    if (!explain) return { results, complete: true, cost };
    const shown = places.map((place, i) => {
      const { id, ...others } = explainedPlace(place, i);
      return { id, score: place.score, ...others };
    });
    const explanation = { query, id: queryId, method: this.method, documents: shown, cost };
    return { results, complete: true, cost, explanation };
  }

  /** The network's scores of the documents down to the depth. */
  async scores(
    query: string,
    documents: readonly (string | InputDocument)[],
    { signal, onProgress }: QueryOptions = {},
  ): Promise<ControlScores> {
    const started = performance.now();
    checkQuery(query);
    const ranking = initialRanking(documents).slice(0, this.settings.depth);
    const { batches, scoresOf, tokens, flops } = this.prepare(query, ranking);
    const outputs = await this.run(batches, signal, (share) =>
      onProgress?.({ phase: 'phaseOne', pairs: Math.round(share * ranking.length) }),
    );
    const scores = scoresOf(outputs);
    const seconds = (performance.now() - started) / 1000;
    const use = eachPhase((phase) =>
      phase === 'phaseOne'
        ? { pairs: ranking.length, seconds, tokens, flops }
        : { pairs: 0, seconds: 0, tokens: 0, flops: 0 },
    );
    return {
      candidates: ranking.map((input, i) => ({ ...input, score: scores[i] })),
      cost: costOf(use, seconds),
    };
  }

  /** What the network gives for all batches, one after the other. */
  protected async run(
    batches: readonly FeedBatch[],
    signal?: AbortSignal,
    onDone?: (share: number) => void,
  ): Promise<Float32Array> {
    const parts: Float32Array[] = [];
    let done = 0;
    for (const some of slices(batches, batchesPerCall)) {
      throwIfAborted(signal);
      parts.push(await this.network.score(some));
      onDone?.((done += some.length) / batches.length);
    }
    return concat(Float32Array, parts);
  }
}

/** share·s(q,d) + (1-share)·I(q,d); the network's score alone where there is no initial one. */
export function controlScore(score: number, initial: number | undefined, share: number): number {
  return initial === undefined || share === 1 ? score : share * score + (1 - share) * initial;
}

function controlSettings(method: string, options: ControlOptions): Required<ControlOptions> {
  const { depth = 1000, share = 1 } = options;
  requireCount(method, { depth });
  if (!(share >= 0 && share <= 1)) {
    throw usageError(`${method}: share must lie between 0 and 1, not ${share}.`);
  }
  return { depth, share };
}

/** Throws where one of these is no whole number from 1 on. */
export function requireCount(where: string, values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (Number.isInteger(value) && value >= 1) continue;
    throw usageError(`${where}: ${name} must be a whole number from 1 on, not ${value}.`);
  }
}
