import { compareTied, type Candidate, type Evidence, type RankedInput } from './evidence.js';
import { type Combination, interpolate } from './equations.js';
import type { FinalScores } from './final-scores.js';
import { expectedCell, tolerance } from './schedule/schedule.js';

/** A candidate at its place. */
export interface Placed<C extends RankedInput = Candidate> {
  readonly candidate: C;
  /** The final score, or what it is expected to be while parts of it are unknown. */
  readonly score: number;
  /** M(q,d), or what it is expected to be; rel(q,d) without expansion; absent where no model has seen the document. */
  readonly relevance?: number;
  /** True where no score that is still unknown can move the document from this place. */
  readonly certain: boolean;
}

/** The distance between documents that only keep their order, as in the authors' code. */
const step = 0.01;

/** The score of the i-th document (from 0) below a ranking whose last score is `last`. */
export function scoreBelow(last: number, i: number): number {
  return last - step * (i + 1);
}

/** Documents in the order of β·ln rel(q,d) + (1-β)·I, their score without expansion, ties by id. */
export function rankedUnexpanded(
  candidates: readonly Candidate[],
  { beta }: Pick<Combination, 'beta'>,
  relevance: (candidate: Candidate) => number = ({ queryScore }) => queryScore!,
): Candidate[] {
  return candidates
    .map((candidate) => ({
      candidate,
      score: interpolate(relevance(candidate), candidate.initial, beta),
    }))
    .sort((a, b) => b.score - a.score || compareTied(a.candidate, b.candidate))
    .map(({ candidate }) => candidate);
}

/** The candidates by final score; those that phase three does not read follow in their order without expansion. */
export function rank(
  { candidates, expanded }: Evidence,
  final: FinalScores,
  combination: Combination,
): Placed[] {
  const placed = rankExpanded(expanded, final);
  if (expanded === candidates) return placed;
  const isExpanded = new Set(expanded);
  const others = candidates.filter((candidate) => !isExpanded.has(candidate));
  const last = placed.at(-1)!.score;
  const below = rankedUnexpanded(others, combination).map((candidate, i) => ({
    candidate,
    score: scoreBelow(last, i),
    relevance: candidate.queryScore!,
    certain: true,
  }));
  return [...placed, ...below];
}

/**
 * Documents by final score, ties by id. Where the evidence is incomplete this is the best guess: documents are
 * placed by the score they are expected to reach, unseen ones follow in the initial order.
 */
function rankExpanded(candidates: readonly Candidate[], final: FinalScores): Placed[] {
  const seen = candidates
    .filter(isSeen)
    .map((candidate) => {
      const unknown = expectedCell(final, candidate);
      return {
        candidate,
        score: final.score(candidate, unknown),
        relevance: final.combined(candidate, unknown),
      };
    })
    .sort((a, b) => b.score - a.score || compareTied(a.candidate, b.candidate));
  const last = seen.at(-1)?.score ?? 0;
  const unseen = candidates
    .filter((candidate) => !isSeen(candidate))
    .sort((a, b) => a.initialRank - b.initialRank)
    .map((candidate, i) => ({ candidate, score: scoreBelow(last, i) }));
  const all = [...seen, ...unseen];
  const certain = certainPlaces(
    all.map(({ candidate }) => ({
      complete: final.isComplete(candidate),
      lower: final.score(candidate, 0),
      upper: final.score(candidate, 1),
    })),
  );
  return all.map((place, i) => ({ ...place, certain: certain[i] }));
}

function isSeen({ queryScore }: Candidate): boolean {
  return queryScore !== undefined;
}

interface Bounds {
  readonly complete: boolean;
  readonly lower: number;
  readonly upper: number;
}

/**
 * True for each place that is certain: everything above it must stay above, everything below it below. Between two
 * complete documents the sort has decided, ties included. Bounds decide everything else.
 */
function certainPlaces(places: readonly Bounds[]): boolean[] {
  const open = places.map((place) => (place.complete ? unbounded : place));
  const all = { above: leastAbove(places), below: mostBelow(places) };
  const incomplete = { above: leastAbove(open), below: mostBelow(open) };
  return places.map(({ complete, lower, upper }, i) => {
    const { above, below } = complete ? incomplete : all;
    // Half of the tolerance of exact top-k, so that a document that it ruled out is ruled out here too.
    return upper + tolerance(upper) / 2 < above[i] && below[i] + tolerance(below[i]) / 2 < lower;
  });
}

/** Bounds that take part in neither minimum nor maximum. */
const unbounded = { lower: Number.POSITIVE_INFINITY, upper: Number.NEGATIVE_INFINITY };

/** The smallest lower bound above each place. */
function leastAbove(places: readonly Pick<Bounds, 'lower'>[]): number[] {
  let least = Number.POSITIVE_INFINITY;
  return places.map(({ lower }) => {
    const above = least;
    least = Math.min(least, lower);
    return above;
  });
}

/** The largest upper bound below each place. */
function mostBelow(places: readonly Pick<Bounds, 'upper'>[]): number[] {
  const negated = places.map(({ upper }) => ({ lower: -upper })).reverse();
  return leastAbove(negated)
    .map((least) => -least)
    .reverse();
}
