import type { BertScorer, Scorer } from '../../bert/index.js';
import { type OptionNames, refuseUnknownOptions } from '../../common/known-options.js';
import { mapInSlices } from '../../common/yield.js';
import { folderLoader } from '../bert-qe.js';
import { chooseModels, type ModelChoice, type ModelOptions } from '../choose-models.js';
import { costOf, type RerankCost } from '../cost.js';
import { BIRCH_DEFAULTS, DEFAULTS } from '../defaults.js';
import type { RankedInput } from '../evidence.js';
import { checkQuery, initialRanking, type InputDocument } from '../inputs.js';
import { loadModels } from '../load.js';
import { forEveryPhase, QueryModels, type PhaseScorers, type QueryOptions } from '../models.js';
import { count, share } from '../options.js';
import { explainedPlace, type Reranking, resultsByScore } from '../result.js';
import { sentencesOf } from './sentences.js';

/** The weights of Birch's score. */
export interface BirchWeights {
  /** Share of the document's initial score against its sentences, between 0 and 1. */
  readonly alpha: number;
  /** Weight of the second-best sentence, between 0 and 1; the best one has 1. */
  readonly beta: number;
  /** Weight of the third-best sentence, between 0 and 1. */
  readonly gamma: number;
}

/** Sentences that count: 3S in the paper's names. */
const countedSentences = 3;

/**
 * Birch (3S): α·I(q,d) + (1-α)·(S₁ + β·S₂ + γ·S₃), where S₁ ≥ S₂ ≥ S₃ are the scores of the best sentences. Sentences
 * that a document lacks add nothing. Without an initial score it is the sum over the sentences.
 */
export function birchScore(
  best: readonly number[],
  initial: number | undefined,
  { alpha, beta, gamma }: BirchWeights,
): number {
  const sum = (best[0] ?? 0) + beta * (best[1] ?? 0) + gamma * (best[2] ?? 0);
  return initial === undefined ? sum : alpha * initial + (1 - alpha) * sum;
}

/** Options of Birch. */
export interface BirchOptions extends Partial<BirchWeights> {
  /** Documents that are re-ranked; those below keep their order beneath them (1000). */
  readonly depth?: number;
}

/** Options of {@link Birch.load}. */
export interface BirchLoadOptions extends BirchOptions, Pick<ModelOptions, 'device' | 'precision'> {
  /** The model that scores sentences, by letter, name or path, or a scorer of your own (`S`). */
  readonly model?: ModelChoice;
}

/** The options, checked and complete. */
export type BirchSettings = Required<BirchOptions>;

/** Options of one call of {@link Birch.rerank}. */
export interface BirchRerankOptions extends QueryOptions {
  /** Only the first places are returned. All documents are scored. */
  readonly topK?: number | undefined;
  /** Asks for a {@link BirchExplanation} (false). */
  readonly explain?: boolean | undefined;
  /** Names the query in the explanation (`1`). */
  readonly queryId?: string;
}

/** A sentence with the model's probability that it is relevant to the query. */
export interface ScoredSentence {
  readonly text: string;
  readonly score: number;
}

/** The sentences that a document's place is made of. */
export interface BirchDocument {
  readonly id: string;
  /** The best three, best first; fewer where the document has fewer. */
  readonly sentences: readonly ScoredSentence[];
  /** I(q,d); null where there were no initial scores. */
  readonly initial: number | null;
  readonly final: number;
  /** Places from 1. */
  readonly ranks: { readonly initial: number; readonly final: number };
}

/** The explanation of a query's ranking by Birch. */
export interface BirchExplanation {
  readonly query: string;
  readonly id: string;
  readonly weights: BirchWeights;
  /** The documents returned that were re-ranked, best first. */
  readonly documents: readonly BirchDocument[];
  readonly cost: RerankCost;
}

/** A query re-ranked by Birch. */
export interface BirchReranking extends Pick<Reranking, 'results' | 'complete' | 'cost'> {
  /** Present where it was asked for. */
  readonly explanation?: BirchExplanation;
}

/** The best sentences of a query's candidates, in the order of the initial ranking. They do not depend on weights. */
export interface SentenceEvidence {
  readonly candidates: readonly (RankedInput & { readonly sentences: readonly ScoredSentence[] })[];
  readonly cost: RerankCost;
}

const RERANK_OPTIONS: OptionNames<BirchRerankOptions> = {
  topK: true,
  explain: true,
  queryId: true,
  signal: true,
  onProgress: true,
};

const BIRCH_OPTIONS: OptionNames<BirchOptions> = { alpha: true, beta: true, gamma: true, depth: true };

const LOAD_OPTIONS: OptionNames<BirchLoadOptions> = {
  ...BIRCH_OPTIONS,
  model: true,
  device: true,
  precision: true,
};

/**
 * Birch (Yilmaz et al., 2019), a system that the paper compares with: a document's score is that of its best three
 * sentences, mixed with its initial score.
 */
export class Birch {
  readonly settings: BirchSettings;
  readonly #scorers: PhaseScorers;
  readonly #owned: readonly BertScorer[];

  /** @param owned Scorers that {@link Birch.close} ends. */
  constructor(scorer: Scorer, options: BirchOptions = {}, owned: readonly BertScorer[] = []) {
    this.settings = settingsFrom(options);
    this.#scorers = forEveryPhase({ phaseOne: scorer });
    this.#owned = owned;
  }

  /**
   * Loads the model and makes a re-ranker of it.
   *
   * @example
   * const birch = await Birch.load({ model: 'S' });
   * const { results } = await birch.rerank('why do bridges sway', texts, { topK: 10 });
   */
  static async load(options: BirchLoadOptions = {}): Promise<Birch> {
    refuseUnknownOptions('Birch.load', options, LOAD_OPTIONS, "{ model: 'S' }");
    const { model = BIRCH_DEFAULTS.model, device: _, precision: __, ...method } = options;
    // Options are cheap to check: before a model is loaded.
    settingsFrom(method);
    const chosen = { ...chooseModels({ phaseOne: model }), expansion: false };
    const { scorers, loaded } = await loadModels(chosen, folderLoader(options));
    return new Birch(scorers.phaseOne, method, loaded);
  }

  /** Ends the model that {@link Birch.load} loaded. A scorer that was handed in stays open. */
  async close(): Promise<void> {
    await Promise.all(this.#owned.map((scorer) => scorer.close()));
  }

  /** Re-ranks the documents of one query: texts, or objects with a text and, for the mixture, a score. */
  async rerank(
    query: string,
    documents: readonly (string | InputDocument)[],
    options: BirchRerankOptions = {},
  ): Promise<BirchReranking> {
    refuseUnknownOptions('rerank', options, RERANK_OPTIONS);
    const { topK, explain, queryId = '1', ...call } = options;
    if (topK !== undefined) count('topK', topK);
    const ranking = initialRanking(documents);
    const { candidates, cost } = await this.#score(query, ranking, call);
    const { depth, ...weights } = this.settings;
    const scored = candidates.map((candidate) => {
      const best = candidate.sentences.map(({ score }) => score);
      return { ...candidate, final: birchScore(best, candidate.initial, weights) };
    });
    const { places, results } = resultsByScore(scored, ranking.slice(depth), topK ?? ranking.length);
    if (!explain) return { results, complete: true, cost };
    const shown = places.map((place, i) => {
      const { id, ...others } = explainedPlace(place, i);
      return { id, sentences: place.sentences, ...others };
    });
    return {
      results,
      complete: true,
      cost,
      explanation: { query, id: queryId, weights, documents: shown, cost },
    };
  }

  /** Scores the sentences of the documents and keeps the best three of each. */
  async evidence(
    query: string,
    documents: readonly (string | InputDocument)[],
    options: QueryOptions = {},
  ): Promise<SentenceEvidence> {
    return this.#score(query, initialRanking(documents), options);
  }

  async #score(
    query: string,
    ranking: readonly RankedInput[],
    options: QueryOptions,
  ): Promise<SentenceEvidence> {
    const started = performance.now();
    checkQuery(query);
    const models = new QueryModels(this.#scorers, options);
    const cut = await mapInSlices(ranking.slice(0, this.settings.depth), options.signal, (input) => ({
      ...input,
      texts: sentencesOf(input.document),
    }));
    const all = cut.flatMap(({ texts }) => texts);
    const scores = await models.relevance('phaseOne', query, all);
    let from = 0;
    const candidates = cut.map(({ texts, ...input }) => {
      const sentences = texts.map((text) => ({ text, score: scores[from++] }));
      // The sort is stable: among equals the first in the document counts.
      return { ...input, sentences: sentences.sort((a, b) => b.score - a.score).slice(0, countedSentences) };
    });
    const seconds = (performance.now() - started) / 1000;
    return { candidates, cost: costOf(models.use, seconds) };
  }
}

function settingsFrom(options: BirchOptions): BirchSettings {
  refuseUnknownOptions('Birch', options, BIRCH_OPTIONS);
  return {
    alpha: share('alpha', options.alpha ?? BIRCH_DEFAULTS.alpha),
    beta: share('beta', options.beta ?? BIRCH_DEFAULTS.beta),
    gamma: share('gamma', options.gamma ?? BIRCH_DEFAULTS.gamma),
    depth: count('depth', options.depth ?? DEFAULTS.depth),
  };
}
