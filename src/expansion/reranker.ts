import type { Scorer } from '../bert/index.js';
import { mapInSlices } from '../common/yield.js';
import { type OptionNames, refuseUnknownOptions } from '../common/known-options.js';
import { costOf, exhaustivePairs } from './cost.js';
import { Candidate, Evidence } from './evidence.js';
import { explain } from './explanation.js';
import { FinalScores } from './final-scores.js';
import { checkQuery, initialRanking, type InputDocument, badCall } from './inputs.js';
import { keepLikelyPassages } from './likely-passages.js';
import { gatherEvidence } from './method.js';
import {
  forEveryPhase,
  QueryModels,
  type BertQEScorers,
  type PhaseScorers,
  type QueryOptions,
} from './models.js';
import { count, settingsFrom, type BertQEOptions, type Settings } from './options.js';
import type { Phase } from './phases.js';
import { rank } from './ranking.js';
import { resultsOf, type Reranking } from './result.js';
import { Deadline } from './schedule/deadline.js';
import { exactTopK } from './schedule/exact-top-k.js';
import { everything, type Schedule } from './schedule/schedule.js';

/** Options of one call of {@link Reranker.rerank}. */
export interface RerankOptions extends QueryOptions {
  /** Only the first places are wanted: pairs that cannot change them are not scored. */
  readonly topK?: number | undefined;
  /** False: `topK` scores everything and cuts. The answer is the same; for comparison (true). */
  readonly prune?: boolean;
  /** Asks for an {@link Explanation} (false). */
  readonly explain?: boolean | undefined;
  /** Asks for the {@link Evidence} (false). */
  readonly keepEvidence?: boolean | undefined;
  /** Milliseconds after which the best order known so far is returned, with the places that are certain. */
  readonly deadline?: number | undefined;
  /** Names the query in the explanation (`1`). */
  readonly queryId?: string;
}

/** Options of one call of {@link Reranker.evidence}. */
export interface EvidenceOptions extends QueryOptions {
  /** The last phase to run (`phaseThree`). */
  readonly until?: Phase;
}

const RERANK_OPTIONS: OptionNames<RerankOptions> = {
  topK: true,
  prune: true,
  explain: true,
  keepEvidence: true,
  deadline: true,
  queryId: true,
  signal: true,
  onProgress: true,
};

const EVIDENCE_OPTIONS: OptionNames<EvidenceOptions> = { until: true, signal: true, onProgress: true };

/**
 * Documents that phase three reads for each wanted place, and at least. Chosen on development collections
 * (docs/benchmarks-expansion.md).
 */
const EXPANDED_PER_PLACE = 2;
const LEAST_EXPANDED = 20;

/** Phase one's model reads so many times the geometric mean of all documents and the wanted places. Chosen alike. */
const READ_PER_MEAN = 2;

/** The method over scorers of any kind; {@link BertQE} adds the loading of models. */
export class Reranker {
  readonly settings: Settings;
  readonly #scorers: PhaseScorers;
  readonly #owned: readonly Pick<Scorer, 'close'>[];

  /** @param owned Scorers that {@link Reranker.close} ends. */
  constructor(
    scorers: BertQEScorers,
    options: BertQEOptions = {},
    owned: readonly Pick<Scorer, 'close'>[] = [],
  ) {
    this.settings = settingsFrom(options);
    this.#scorers = forEveryPhase(scorers);
    this.#owned = owned;
  }

  /** Ends the models that `load` loaded. Scorers that were handed in stay open. */
  async close(): Promise<void> {
    await Promise.all(this.#owned.map((scorer) => scorer.close()));
  }

  /** Re-ranks the documents of one query: texts, or objects with a text and, for the interpolation, a score. */
  async rerank(
    query: string,
    documents: readonly (string | InputDocument)[],
    options: RerankOptions = {},
  ): Promise<Reranking> {
    const started = performance.now();
    checkQuery(query);
    refuseUnknownOptions('rerank', options, RERANK_OPTIONS);
    const { topK, deadline } = options;
    if (topK !== undefined) count('topK', topK);
    if (deadline !== undefined && !(deadline >= 0)) {
      throw badCall(`the deadline is ${deadline}; give milliseconds from now, 0 or more`);
    }
    const ranking = initialRanking(documents);
    const settings = this.#settingsFor(options, ranking.length);
    const evidence = await evidenceFor(query, ranking.slice(0, settings.depth), settings, options.signal);
    const wanted = Math.min(topK ?? ranking.length, ranking.length);
    const models = new QueryModels(this.#scorers, options);
    const schedule = scheduleFor(options, wanted, evidence.candidates.length, settings, models);
    // An explanation has every document's rank after phase one.
    const gathering = { rankPhaseOne: options.explain };
    const complete = await gatherEvidence({ evidence, settings, models, schedule }, gathering);

    const places = rank(evidence, new FinalScores(evidence, settings), settings).slice(0, wanted);
    const below = [...evidence.unread, ...ranking.slice(settings.depth)];
    const seconds = (performance.now() - started) / 1000;
    const exhaustive = exhaustivePairs(evidence, this.#scorers, models.use.phaseTwo.pairs);
    const cost = costOf(models.use, seconds, exhaustive);
    return {
      results: resultsOf(places, below.slice(0, wanted - places.length)),
      complete,
      cost,
      ...(options.explain
        ? { explanation: explain(evidence, options.queryId ?? '1', places, settings, cost) }
        : {}),
      ...(options.keepEvidence ? { evidence } : {}),
    };
  }

  /** Gathers everything that the models say about a query and its documents, or all of it up to a phase. */
  async evidence(
    query: string,
    documents: readonly (string | InputDocument)[],
    options: EvidenceOptions = {},
  ): Promise<Evidence> {
    checkQuery(query);
    refuseUnknownOptions('evidence', options, EVIDENCE_OPTIONS);
    const { settings } = this;
    const ranking = initialRanking(documents).slice(0, settings.depth);
    const evidence = await evidenceFor(query, ranking, settings, options.signal);
    const models = new QueryModels(this.#scorers, options);
    await gatherEvidence({ evidence, settings, models, schedule: everything }, { until: options.until });
    return evidence;
  }

  /** With α = 0 the phases two and three change nothing; only an explanation still wants them. */
  #settingsFor({ explain, topK }: RerankOptions, documents: number): Settings {
    const settings = { ...this.settings, ...depths(this.settings, topK, documents) };
    if (settings.alpha > 0) return settings;
    return { ...settings, expansion: settings.expansion && explain === true, expansionDepth: undefined };
  }
}

/** The documents that phases one and three read for the first `topK` places of all that are re-ranked. */
function depths(
  { passageChoice, phaseOneDepth, expansionDepth, depth, kd }: Settings,
  topK: number | undefined,
  documents: number,
): Pick<Settings, 'phaseOneDepth' | 'expansionDepth'> {
  if (topK === undefined || passageChoice === 'exhaustive') return { phaseOneDepth, expansionDepth };
  // Phase two wants the first kd documents, whose chunks expand the query.
  const mean = Math.sqrt(Math.min(documents, depth) * Math.max(topK, kd));
  return {
    phaseOneDepth: phaseOneDepth ?? Math.ceil(READ_PER_MEAN * mean),
    expansionDepth: expansionDepth ?? Math.max(EXPANDED_PER_PLACE * topK, LEAST_EXPANDED),
  };
}

/** Cutting the passages of many documents takes long, so it is done in slices of time. */
async function evidenceFor(
  query: string,
  ranking: ReturnType<typeof initialRanking>,
  { passage, passageChoice }: Settings,
  signal: AbortSignal | undefined,
): Promise<Evidence> {
  const candidates = await mapInSlices(ranking, signal, (input) => new Candidate(input, passage));
  if (passageChoice === 'cascade') await keepLikelyPassages(query, candidates, signal);
  return new Evidence(query, candidates);
}

/** Everything is scored unless only the first places are wanted, or time is short. */
function scheduleFor(
  { deadline, prune = true }: RerankOptions,
  wanted: number,
  candidates: number,
  { roundPairs }: Settings,
  models: QueryModels,
): Schedule {
  const topK = { k: Math.min(wanted, candidates), roundPairs, scoredPairs: () => models.pairs };
  if (deadline !== undefined) return new Deadline(deadline, topK);
  return prune && wanted < candidates ? exactTopK(topK) : everything;
}
