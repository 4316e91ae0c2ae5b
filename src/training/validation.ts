import type { Qrels, Ranking, Run } from '../collection/index.js';
import { slices } from '../common/concat.js';
import { inputError } from '../common/errors.js';
import { evaluate } from '../evaluation/index.js';
import { combine, type Combination, expansionScore, interpolate } from '../expansion/index.js';
import type { TrainingWorker } from './engine/training-worker.js';
import { type Pairing, microBatches, scoreInto, sequencesOf } from './data/sequences.js';
import type { ValidationBatches } from './data/training-data.js';
import type { QueryExamples } from './examples/query-examples.js';
import type { QueryFeedback } from './examples/feedback.js';
import { validationMeasure } from './history.js';
import type { BaseModel } from './models.js';
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

/** The value of a worker's current weights. */
export type Validation = (worker: TrainingWorker) => Promise<number>;

/** Validation by the loss of batches. */
export function byLoss({ batches, least }: ValidationBatches): Validation {
  return async (worker) => {
    let loss = -least;
    for (const some of slices(batches, batchesPerCall)) {
      const losses = await worker.call('score', some);
      loss += losses.reduce((sum, one) => sum + one, 0);
    }
    return loss;
  };
}

/** A validation query: the pairs to score, and the ranking that the scores give. */
export interface ValidationQuery {
  readonly id: string;
  readonly pairings: readonly Pairing[];
  /** The ranking by the scores of all pairs, in the order of the pairs. */
  readonly rank: (scores: Float32Array) => Ranking;
}

/** Validation by the rankings of queries. */
export function byRankings(
  queries: readonly ValidationQuery[],
  qrels: Qrels,
  { tokenizer, config }: BaseModel,
  { maxLength, batchTokens }: TrainingSettings,
): Validation {
  if (!queries.some(({ id }) => qrels.has(id))) {
    throw inputError(
      `None of the ${queries.length} validation queries is judged; give judgements of these queries, or no validation queries.`,
    );
  }
  const pairings = queries.flatMap((query) => query.pairings);
  const sequences = sequencesOf(pairings, tokenizer, maxLength);
  return async (worker) => {
    const scores = new Float32Array(sequences.length);
    for (const some of slices(microBatches(sequences, batchTokens), batchesPerCall)) {
      await scoreInto(scores, some, worker, config.labels);
    }
    let next = 0;
    const run = new Map<string, Ranking>();
    for (const query of queries) {
      const pairs = query.pairings.reduce((sum, { passages }) => sum + passages.length, 0);
      run.set(query.id, query.rank(scores.subarray(next, (next += pairs))));
    }
    return validationValue(run, qrels);
  };
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
