import { compareTied, type Candidate } from './candidate.js';
import { slack, type FinalScore } from './final-score.js';
import { expectation } from './round-planner.js';

/** A candidate at its place. */
export interface Placed {
  readonly candidate: Candidate;
  /** The final score, or what it is expected to be while parts of it are not known. */
  readonly score: number;
  /** M(q,d), or what it is expected to be; absent where no model has seen the document. */
  readonly relevance?: number;
  /** Whether no score that is still unknown can move it from this place. */
  readonly certain: boolean;
}

/** How far below the one before it a document comes that only keeps its order, as in the authors' code. */
const step = 0.01;

/**
 * Orders candidates by final score, ties by id. Of a query that was cut short this is the best guess: documents are
 * placed by the score they are expected to reach, those that no model has seen follow in the initial order, and the
 * places that are beyond doubt are marked.
 */
export function order(candidates: readonly Candidate[], final: FinalScore): Placed[] {
  const seen = candidates
    .filter(({ queryScore }) => queryScore !== undefined)
    .map((candidate) => ({
      candidate,
      score: final.of(candidate, expectation(candidate)),
      relevance: final.combined(candidate, expectation(candidate)),
    }))
    .sort((a, b) => b.score - a.score || compareTied(a.candidate, b.candidate));
  const unseen = candidates
    .filter(({ queryScore }) => queryScore === undefined)
    .sort((a, b) => a.initialRank - b.initialRank)
    .map((candidate, i) => ({ candidate, score: scoreBelow(seen.at(-1)?.score ?? 0, i) }));
  const placed = [...seen, ...unseen];
  const certain = certainPlaces(
    placed.map(({ candidate }) => ({
      settled: candidate.settled,
      lower: final.lower(candidate),
      upper: final.upper(candidate),
    })),
  );
  return placed.map((place, i) => ({ ...place, certain: certain[i] }));
}

/** The score of the i-th document (from 0) that follows a ranking whose last score is `last`. */
export function scoreBelow(last: number, i: number): number {
  return last - step * (i + 1);
}

interface Bounds {
  readonly settled: boolean;
  readonly lower: number;
  readonly upper: number;
}

/** A place is certain when everything above it must stay above and everything below it below. */
function certainPlaces(places: readonly Bounds[]): boolean[] {
  if (places.every(({ settled }) => settled)) return places.map(() => true);
  return places.map((place, i) =>
    places.every((other, j) => i === j || (j < i ? staysAbove(other, place) : staysAbove(place, other))),
  );
}

/** Of two settled documents the sort has decided, ties included. */
function staysAbove(a: Bounds, b: Bounds): boolean {
  return (a.settled && b.settled) || a.lower > b.upper + slack(b.upper);
}
