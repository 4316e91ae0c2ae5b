import type { BertScorer, Scorer, Meter } from '../bert/index.js';
import { BertQeError } from '../common/errors.js';
import { Candidate, type CandidateInput } from './candidate.js';
import { Deadline } from './deadline.js';
import { explain } from './explanation.js';
import { initialRanking, type InputDocument } from './inputs.js';
import { chooseModels, loadModels, type LoadOptions } from './load.js';
import { count, settingsFrom, type BertQEOptions, type Settings } from './options.js';
import { order, scoreBelow, type Placed } from './order.js';
import { costOf, exhaustivePairs } from './pair-counts.js';
import { plainPassages, rerankPlainly } from './plain.js';
import { rerankQuery } from './rerank-query.js';
import type { RerankedDocument, Reranking } from './result.js';
import { forEveryPhase, QueryScoring, type BertQEScorers, type Phase, type PhaseScorers } from './scoring.js';

/** How far a query is. */
export interface RerankProgress {
  readonly phase: Phase;
  /** Pairs that this phase has run so far. */
  readonly pairs: number;
}

/** What is wanted of one call of {@link BertQE.rerank}. */
export interface RerankOptions {
  /** Only the first places are wanted: pairs that cannot change them are not scored. */
  readonly topK?: number;
  /** Off: `topK` scores everything and cuts; for comparison, the answer is the same (true). */
  readonly prune?: boolean;
  /** Stops the work between two batches. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RerankProgress) => void;
  /** Asks for an {@link Explanation} (false). */
  readonly explain?: boolean;
  /** Milliseconds after which the best order known so far is returned, with the places that are certain. */
  readonly deadline?: number;
  /** Names the query in the explanation (`1`). */
  readonly queryId?: string;
}

/** BERT-QE: re-ranks documents with the query and with the best chunks of the best documents. */
export class BertQE {
  readonly settings: Settings;
  readonly #scorers: PhaseScorers;
  #meters: ReadonlyMap<Scorer, Meter> = new Map();
  #loaded: readonly BertScorer[] = [];

  constructor(scorers: BertQEScorers, options: BertQEOptions = {}) {
    this.settings = settingsFrom(options);
    this.#scorers = forEveryPhase(scorers);
  }

  /**
   * Loads the models and makes a re-ranker of them.
   *
   * @example
   * const bertQe = await BertQE.load({ models: 'SST' });
   * const { results } = await bertQe.rerank('why do bridges sway', texts, { topK: 10 });
   */
  static async load(options: LoadOptions = {}): Promise<BertQE> {
    if (typeof options !== 'object') {
      throw new BertQeError(
        'usage',
        `BertQE.load takes an object, such as { models: 'SST' }, not ${String(options)}.`,
      );
    }
    const { models, preset, fineTuned, device, precision, ...method } = options;
    const chosen = chooseModels(models, preset, fineTuned);
    const settings = { ...method, expansion: chosen.expansion && (method.expansion ?? true) };
    // Options are cheap to check: before a model is loaded.
    settingsFrom(settings);
    const { scorers, loaded, meters } = await loadModels(chosen, device, precision);
    const bertQe = new BertQE(scorers, settings);
    bertQe.#loaded = loaded;
    bertQe.#meters = meters;
    return bertQe;
  }

  /** Ends the models that {@link BertQE.load} loaded; scorers that were handed in stay their owner's. */
  async close(): Promise<void> {
    await Promise.all(this.#loaded.map((scorer) => scorer.close()));
  }

  /** Re-ranks the documents of one query: texts, or objects with a text and, for the interpolation, a score. */
  async rerank(
    query: string,
    documents: readonly (string | InputDocument)[],
    options: RerankOptions = {},
  ): Promise<Reranking> {
    const started = performance.now();
    if (query.trim() === '') throw usage('the query is empty; give it some words');
    const { topK, deadline } = options;
    if (topK !== undefined) count('topK', topK);
    if (deadline !== undefined && !(deadline >= 0)) {
      throw usage(`the deadline is ${deadline}; give milliseconds from now, 0 or more`);
    }

    const settings = this.#settingsFor(options);
    const plain = plainPassages(documents, options, settings);
    if (plain) return rerankPlainly({ query, documents, passages: plain }, this.#scoringFor(options));
    const ranking = initialRanking(documents);
    const candidates = ranking
      .slice(0, settings.depth)
      .map((input) => new Candidate(input, settings.passage));
    const wanted = Math.min(topK ?? ranking.length, ranking.length);
    const isPruned = deadline !== undefined || ((options.prune ?? true) && wanted < candidates.length);
    const scoring = this.#scoringFor(options);
    const outcome = await rerankQuery(
      {
        query,
        candidates,
        ...(isPruned ? { exactPlaces: Math.min(wanted, candidates.length) } : {}),
        // The explanation tells every document's rank after phase one.
        wholePhaseOne: options.explain ?? false,
      },
      settings,
      scoring,
    );

    const places = order(candidates, outcome.final).slice(0, wanted);
    const seconds = (performance.now() - started) / 1000;
    const phaseTwo = scoring.use.phaseTwo.pairs;
    const exhaustive = exhaustivePairs(candidates, outcome.chunks.length, this.#scorers, phaseTwo);
    const cost = costOf(exhaustive, scoring.use, seconds);
    const asked = { id: options.queryId ?? '1', text: query };
    return {
      results: resultsOf(places, ranking.slice(candidates.length, wanted)),
      complete: outcome.complete,
      cost,
      ...(options.explain ? { explanation: explain(asked, places, outcome, cost) } : {}),
    };
  }

  /** With α = 0 the phases two and three change nothing; only an explanation still wants them. */
  #settingsFor({ explain }: RerankOptions): Settings {
    const { settings } = this;
    return settings.alpha > 0 || explain ? settings : { ...settings, expansion: false };
  }

  #scoringFor({ signal, deadline, onProgress }: RerankOptions): QueryScoring {
    return new QueryScoring(this.#scorers, {
      meters: this.#meters,
      ...(signal ? { signal } : {}),
      ...(deadline === undefined ? {} : { deadline: new Deadline(deadline, this.settings.roundPairs) }),
      ...(onProgress ? { onPairs: (phase, pairs) => onProgress({ phase, pairs }) } : {}),
    });
  }
}

/** Those re-ranked, and beneath them those below the depth in the order they had. */
function resultsOf(places: readonly Placed[], below: readonly CandidateInput[]): RerankedDocument[] {
  const last = places.at(-1)?.score ?? 0;
  return [
    ...places.map(({ candidate: { index, id }, score, relevance, certain }, i) =>
      relevance === undefined
        ? { index, id, rank: i + 1, score, certain }
        : { index, id, rank: i + 1, score, relevance, certain },
    ),
    ...below.map(({ index, id }, i) => ({
      index,
      id,
      rank: places.length + i + 1,
      score: scoreBelow(last, i),
      certain: true,
    })),
  ];
}

function usage(message: string): BertQeError {
  return new BertQeError('usage', `rerank: ${message}.`);
}
