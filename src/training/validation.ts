import { probabilities, type Tokenizer } from '../bert/index.js';
import type { Qrels, Ranking, Run } from '../collection/index.js';
import { BertQeError } from '../common/errors.js';
import { evaluate } from '../evaluation/index.js';
import { combine, type Combination, expansionScore, interpolate } from '../expansion/index.js';
import type { TrainingWorker } from './engine/index.js';
import {
  type Pairing,
  microBatches,
  type Sequence,
  sequencesOf,
  type ValidationBatches,
} from './data/index.js';
import type { QueryExamples, QueryFeedback } from './examples/index.js';
import { validationMeasure } from './history.js';
import type { TrainingSettings } from './settings.js';

/** The validation measure of a run over its judged queries. */
export function validationValue(run: Run, qrels: Qrels): number {
  const judged = new Map([...qrels].filter(([query]) => run.has(query)));
  const { summary } = evaluate(run, judged, {
    measures: [validationMeasure],
    complete: true,
    label: 'the validation ranking',
  });
  return summary.get(validationMeasure)!;
}

/** Micro-batches in a message to the worker. */
const batchesPerCall = 8;

/** The loss of validation batches with the worker's current weights. */
export async function validationLoss(
  worker: TrainingWorker,
  { batches, least }: ValidationBatches,
): Promise<number> {
  let loss = -least;
  for (let from = 0; from < batches.length; from += batchesPerCall) {
    const losses = await worker.call('score', batches.slice(from, from + batchesPerCall));
    loss += losses.reduce((sum, one) => sum + one, 0);
  }
  return loss;
}

/** A validation query: the pairs to score, and the ranking that the scores give. */
export interface ValidationQuery {
  readonly id: string;
  readonly pairings: readonly Pairing[];
  /** The ranking by the scores of all pairs, in the order of the pairs. */
  readonly rank: (scores: Float32Array) => Ranking;
}

export class ValidationSet {
  readonly #sequences: readonly Sequence[];

  constructor(
    private readonly queries: readonly ValidationQuery[],
    private readonly qrels: Qrels,
    tokenizer: Tokenizer,
    private readonly settings: Pick<TrainingSettings, 'maxLength' | 'batchTokens'>,
  ) {
    this.#sequences = sequencesOf(
      queries.flatMap(({ pairings }) => pairings),
      tokenizer,
      settings.maxLength,
    );
    if (!queries.some(({ id }) => qrels.has(id))) {
      throw new BertQeError(
        'input',
        `None of the ${queries.length} validation queries is judged; give judgements of these queries, or no validation queries.`,
      );
    }
  }

  /** The validation measure of the worker's current weights. */
  async evaluate(worker: TrainingWorker, labels: number): Promise<number> {
    const scores = await this.#scores(worker, labels);
    let next = 0;
    const run = new Map<string, Ranking>(
      this.queries.map(({ id, pairings, rank }) => {
        const pairs = pairings.reduce((sum, { passages }) => sum + passages.length, 0);
        return [id, rank(scores.subarray(next, (next += pairs)))];
      }),
    );
    return validationValue(run, this.qrels);
  }

  async #scores(worker: TrainingWorker, labels: number): Promise<Float32Array> {
    const scores = new Float32Array(this.#sequences.length);
    const cut = microBatches(this.#sequences, this.settings.batchTokens);
    for (let from = 0; from < cut.length; from += batchesPerCall) {
      const some = cut.slice(from, from + batchesPerCall);
      const values = await worker.call(
        'score',
        some.map(({ batch }) => batch),
      );
      const order = some.flatMap(({ places }) => places);
      probabilities({ labels, values }).forEach((score, i) => (scores[order[i]] = score));
    }
    return scores;
  }
}

/** A validation query of phase one, ranked by rel(q,d). */
export function rankedByQuery({ query, examples }: QueryExamples): ValidationQuery {
  return {
    id: query.id,
    pairings: [{ first: query.text, passages: examples.map(({ passage }) => passage) }],
    rank: (scores) => examples.map(({ document }, i) => ({ id: document, score: scores[i] })),
  };
}

/** A validation query of phase three, ranked by the final score with this α and β or, without them, by rel(C,d). */
export function rankedByChunks(
  { query, feedback: { chunks, documents } }: QueryFeedback,
  combination: Combination | undefined,
): ValidationQuery {
  const withText = documents.filter(({ passage }) => passage !== '');
  const passages = withText.map(({ passage }) => passage);
  const places = new Map(withText.map(({ document }, place) => [document, place]));
  const weights = chunks.map(({ weight }) => weight);
  return {
    id: query.id,
    pairings: chunks.map(({ text }) => ({ first: text, passages })),
    rank: (scores) =>
      documents.map(({ document, queryScore, initial }) => {
        const place = places.get(document);
        // As in ranking, a document without words scores 0, and without chunks rel(q,d) remains.
        const chunkScores = weights.map((_, chunk) =>
          place === undefined ? 0 : scores[chunk * withText.length + place],
        );
        const expansion = chunks.length === 0 ? queryScore : expansionScore(weights, chunkScores);
        if (!combination) return { id: document, score: expansion };
        const { alpha, beta } = combination;
        return { id: document, score: interpolate(combine(queryScore, expansion, alpha), initial, beta) };
      }),
  };
}
