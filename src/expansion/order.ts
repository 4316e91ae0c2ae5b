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
    .map((candidate) => {
      const unknown = expectation(candidate);
      const score = final.of(candidate, unknown);
      return { candidate, score, relevance: final.combined(candidate, unknown), certain: false };
    })
    .sort((a, b) => b.score - a.score || compareTied(a.candidate, b.candidate));
  const unseen = candidates
    .filter(({ queryScore }) => queryScore === undefined)
    .sort((a, b) => a.initialRank - b.initialRank)
    .map((candidate, i) => ({ candidate, score: scoreBelow(seen.at(-1)?.score ?? 0, i), certain: false }));
  const placed: (Placed & { certain: boolean })[] = [...seen, ...unseen];
  const certain = certainPlaces(
    placed.map(({ candidate }) => ({
      settled: candidate.settled,
      lower: final.lower(candidate),
      upper: final.upper(candidate),
    })),
  );
  placed.forEach((place, i) => (place.certain = certain[i]));
  return placed;
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

/**
 * A place is certain when everything above it must stay above and everything below it below. Between two settled
 * documents the sort has decided, ties included; anything else is a matter of bounds.
 */
function certainPlaces(places: readonly Bounds[]): boolean[] {
  const open = places.map((place) => (place.settled ? unbounded : place));
  const all = { above: leastAbove(places), below: mostBelow(places) };
  const unsettled = { above: leastAbove(open), below: mostBelow(open) };
  return places.map(({ settled, lower, upper }, i) => {
    const { above, below } = settled ? unsettled : all;
    // Half of what exact top-k leaves, so that what it ruled out is out here too.
    return upper + slack(upper) / 2 < above[i] && below[i] + slack(below[i]) / 2 < lower;
  });
}

/** Takes part in neither minimum nor maximum. */
const unbounded = { lower: Number.POSITIVE_INFINITY, upper: Number.NEGATIVE_INFINITY };

/** For each place, how far down anything above it can come. */
function leastAbove(places: readonly Pick<Bounds, 'lower'>[]): number[] {
  let least = Number.POSITIVE_INFINITY;
  return places.map(({ lower }) => {
    const above = least;
    least = Math.min(least, lower);
    return above;
  });
}

/** For each place, how far up anything below it can come. */
function mostBelow(places: readonly Pick<Bounds, 'upper'>[]): number[] {
  const negated = places.map(({ upper }) => ({ lower: -upper })).reverse();
  return leastAbove(negated)
    .map((least) => -least)
    .reverse();
}
