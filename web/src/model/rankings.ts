import type { SearchAnswer, SearchEvents } from './answer.js';

/** The three states of a ranking, in their order. */
export const stages = ['initial', 'phase1', 'final'] as const;
export type Stage = (typeof stages)[number];

/** Document ids, best first; a ranking that is not there yet is left out. */
export type Rankings = { readonly [S in Stage]?: readonly string[] };

/** A document in a list. */
export interface Listed {
  readonly id: string;
  readonly label: string;
  /** Its relevance level, where it is judged. */
  readonly level?: number;
}

interface Named {
  readonly id: string;
  readonly title?: string | undefined;
  readonly text?: string | undefined;
}

/** A title, or what the text begins with, or at least the id. */
export function labelOf({ id, title = '', text = '' }: Named): string {
  const trimmed = title.trim();
  // Robust04 writes a dot where there is no title.
  if (trimmed !== '' && trimmed !== '.') return trimmed;
  return text.trim().slice(0, 120) || id;
}

export function listed(results: SearchEvents['initial']['results']): Map<string, Listed> {
  return new Map(
    results.map((result) => [
      result.id,
      {
        id: result.id,
        label: labelOf(result),
        ...(result.level === undefined ? {} : { level: result.level }),
      },
    ]),
  );
}

/** The two rankings that α and β do not change. */
export function fixedRankings({ results, explanation }: SearchAnswer): Pick<Rankings, 'initial' | 'phase1'> {
  const initial = results.toSorted((a, b) => a.initialRank - b.initialRank).map(({ id }) => id);
  const ranked = (explanation?.documents ?? []).filter(({ ranks }) => ranks.phase1 !== null);
  const phase1 = ranked.toSorted((a, b) => a.ranks.phase1! - b.ranks.phase1!).map(({ id }) => id);
  return phase1.length === initial.length ? { initial, phase1 } : { initial };
}

/** Id → place, from 1. */
export function placesIn(ranking: readonly string[]): Map<string, number> {
  return new Map(ranking.map((id, i) => [id, i + 1]));
}
