import { combine, type Combination, expansionScore, interpolate } from '../expansion/index.js';
import type { QueryExamples, QueryFeedback } from './examples/index.js';
import type { ValidationQuery } from './validation.js';

/** Ranked by rel(q,d) alone, Eq. 2: what phase one is trained for. */
export function rankedByQuery({ query, examples }: QueryExamples): ValidationQuery {
  return {
    id: query.id,
    pairings: [{ first: query.text, passages: examples.map(({ passage }) => passage) }],
    rank: (scores) => examples.map(({ document }, i) => ({ id: document, score: scores[i] })),
  };
}

/** Ranked by the final score with this α and β or, without them, by rel(C,d) alone: what phase three is trained for. */
export function rankedByChunks(
  { query, feedback: { chunks, documents } }: QueryFeedback,
  combination: Combination | undefined,
): ValidationQuery {
  const read = documents.filter(({ passage }) => passage !== '');
  const passages = read.map(({ passage }) => passage);
  const places = new Map(read.map(({ document }, place) => [document, place]));
  const weights = chunks.map(({ weight }) => weight);
  return {
    id: query.id,
    pairings: chunks.map(({ text }) => ({ first: text, passages })),
    rank: (scores) =>
      documents.map(({ document, queryScore, initial }) => {
        const place = places.get(document);
        // As when ranking: a document without words scores 0, and without chunks rel(q,d) is all there is.
        const chunkScores = weights.map((_, chunk) =>
          place === undefined ? 0 : scores[chunk * read.length + place],
        );
        const expansion = chunks.length === 0 ? queryScore : expansionScore(weights, chunkScores);
        if (!combination) return { id: document, score: expansion };
        const { alpha, beta } = combination;
        return { id: document, score: interpolate(combine(queryScore, expansion, alpha), initial, beta) };
      }),
  };
}
