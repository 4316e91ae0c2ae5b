import type { Analyzer } from './analysis/index.js';

/** A query term with its weight. */
export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

/** A query as weighted terms; a term may stand in it more than once, its weights then add up. */
export type WeightedQuery = readonly WeightedTerm[];

/** Each term with the number of its occurrences: Lucene's bag of words. */
export function bagOfWords(analyzer: Analyzer, text: string): WeightedQuery {
  return bagOfTerms(analyzer.analyze(text));
}

/** As {@link bagOfWords}, of terms that something else has made of the text. */
export function bagOfTerms(terms: Iterable<string>): WeightedQuery {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return [...counts].map(([term, weight]) => ({ term, weight }));
}

/**
 * Terrier's query: occurrences of equal *words* are counted; then words become terms, and only neighbours that have
 * become equal are joined. Weights are divided by the largest. Terrier joins a neighbour to the entry before it even
 * where that one was itself joined and is gone, so of three in a row the third is lost: we follow, to get its scores.
 */
export function terrierQuery(analyzer: Analyzer, text: string): WeightedQuery {
  const words = new Map<string, number>();
  for (const word of analyzer.tokenize(text)) words.set(word, (words.get(word) ?? 0) + 1);
  const entries: { term: string; weight: number }[] = [];
  let previous: { term: string; weight: number } | undefined;
  for (const [word, weight] of words) {
    const entry = { term: analyzer.termOf(word), weight };
    if (entry.term === '') continue;
    if (previous?.term === entry.term) previous.weight += weight;
    else entries.push(entry);
    previous = entry;
  }
  return scaleToMaximum(entries);
}

/** Weights divided by the largest one: what Terrier does before every matching. */
export function scaleToMaximum(query: WeightedQuery): WeightedQuery {
  const largest = query.reduce((max, { weight }) => Math.max(max, weight), 0);
  return largest > 0 ? query.map(({ term, weight }) => ({ term, weight: weight / largest })) : query;
}

/** One entry per term, weights added. */
export function sumByTerm(query: WeightedQuery): Map<string, number> {
  const weights = new Map<string, number>();
  for (const { term, weight } of query) weights.set(term, (weights.get(term) ?? 0) + weight);
  return weights;
}
