import type { Ranking, ScoredDocument } from '../collection/index.js';
import { type BertQeError, inputError } from '../common/errors.js';
import { occurrences } from '../common/occurrences.js';
import { compareUtf8 } from '../common/order.js';

/** Level of a document that the qrels list with a negative level: pooled, but not judged. */
export const POOLED_UNJUDGED = -1;

/** Level of a document that the qrels do not list. */
export const NOT_POOLED = -2;

export interface JudgingOptions {
  /** Number of documents that count, from the first (trec_eval's `-M`). */
  readonly depth: number;
  /** Compares scores as 32-bit floats, as trec_eval did up to 9.0.8. */
  readonly singlePrecision: boolean;
  /** The name of the query in messages. */
  readonly query: string;
}

/** A query's ranking as relevance levels: the input of every measure. */
export class JudgedRanking {
  private constructor(
    /** Relevance level by rank, best first; {@link POOLED_UNJUDGED} or {@link NOT_POOLED} where there is none. */
    readonly levels: Float64Array,
    /** Number of documents judged at each level from 0, highest level first, retrieved or not. */
    readonly judged: readonly (readonly [level: number, documents: number])[],
  ) {}

  static of(
    ranking: Ranking,
    judgements: ReadonlyMap<string, number>,
    options: JudgingOptions,
  ): JudgedRanking {
    const ranked = rank(ranking, options);
    const depth = Math.min(ranked.length, options.depth);
    const levels = new Float64Array(depth);
    const seen = new Set<string>();
    for (let i = 0; i < depth; i++) {
      const { id } = ranked[i];
      const level = judgements.get(id);
      levels[i] = level === undefined ? NOT_POOLED : level < 0 ? POOLED_UNJUDGED : level;
      seen.add(id);
    }
    if (seen.size < depth) throw duplicate(ranked.slice(0, depth), options.query);
    const judged = occurrences([...judgements.values()].filter((level) => level >= 0));
    return new JudgedRanking(
      levels,
      [...judged].sort(([a], [b]) => b - a),
    );
  }

  /** Number of documents in the collection at this level or above (R in the formulas). */
  relevant(rel: number): number {
    return this.judged.reduce((sum, [level, documents]) => sum + (level >= rel ? documents : 0), 0);
  }

  /** Number of judged documents in the collection below this level. */
  nonRelevant(rel: number): number {
    return this.judged.reduce((sum, [level, documents]) => sum + (level < rel ? documents : 0), 0);
  }

  /** Number of documents at this level or above among the first `cutoff` retrieved. */
  relevantWithin(cutoff: number, rel: number): number {
    const end = Math.min(cutoff, this.levels.length);
    let documents = 0;
    for (let i = 0; i < end; i++) if (this.levels[i] >= rel) documents++;
    return documents;
  }
}

/** The ranking by descending score, ties by descending document id; the run's own order and ranks are ignored. */
function rank(ranking: Ranking, { singlePrecision, query }: JudgingOptions): Ranking {
  const scored = singlePrecision
    ? ranking.map(({ id, score }) => ({ id, score: Math.fround(score) }))
    : ranking;
  // Runs are nearly always in order already, and checking is much cheaper than sorting.
  let inOrder = true;
  for (let i = 0; i < scored.length; i++) {
    if (Number.isNaN(scored[i].score)) {
      throw inputError(`Query ${query}: the score of document ${scored[i].id} is not a number.`);
    }
    if (i > 0 && inOrder) inOrder = before(scored[i - 1], scored[i]) <= 0;
  }
  return inOrder ? scored : scored.toSorted(before);
}

function before(a: ScoredDocument, b: ScoredDocument): number {
  return b.score - a.score || compareUtf8(b.id, a.id);
}

function duplicate(ranking: Ranking, query: string): BertQeError {
  const seen = new Set<string>();
  const twice = ranking.find(({ id }) => seen.has(id) || !seen.add(id));
  return inputError(`Query ${query} ranks document ${twice?.id} more than once; keep one line per document.`);
}
