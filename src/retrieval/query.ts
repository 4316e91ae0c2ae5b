import { occurrences } from '../common/occurrences.js';
import type { Analyzer } from './analysis/analyzer.js';
import { Dph } from './models/dph.js';
import type { WeightingModel } from './models/model.js';

export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

/** A query as weighted terms; the weights of a repeated term are added. */
export type WeightedQuery = readonly WeightedTerm[];

/** Each term with its number of occurrences: of the terms of a text, Lucene's query. */
export function bagOfTerms(terms: Iterable<string>): WeightedQuery {
  return Array.from(occurrences(terms), ([term, weight]) => ({ term, weight }));
}

/**
 * Terrier's query. Occurrences of equal words are counted before words become terms, and only neighbours with the same
 * term are joined. Weights are divided by the largest. Of three such neighbours Terrier loses the third, since it adds
 * its weight to an entry that was itself joined; this function does the same, to give the same scores.
 */
function terrierQuery(analyzer: Analyzer, text: string): WeightedQuery {
  const entries: { term: string; weight: number }[] = [];
  let previous: { term: string; weight: number } | undefined;
  for (const [word, weight] of occurrences(analyzer.tokenize(text))) {
    const entry = { term: analyzer.termOf(word), weight };
    if (entry.term === '') continue;
    if (previous?.term === entry.term) previous.weight += weight;
    else entries.push(entry);
    previous = entry;
  }
  return scaleToMaximum(entries);
}

/** The query with its weights divided by the largest, as in Terrier. */
export function scaleToMaximum(query: WeightedQuery): WeightedQuery {
  const largest = query.reduce((max, { weight }) => Math.max(max, weight), 0);
  return largest > 0 ? query.map(({ term, weight }) => ({ term, weight: weight / largest })) : query;
}

export function sumByTerm(query: WeightedQuery): Map<string, number> {
  const weights = new Map<string, number>();
  for (const { term, weight } of query) weights.set(term, (weights.get(term) ?? 0) + weight);
  return weights;
}

/** The query before feedback: Terrier's weights for DPH, which is Terrier's model, else Lucene's. */
export function firstQuery(model: WeightingModel, analyzer: Analyzer, text: string): WeightedQuery {
  return model instanceof Dph ? terrierQuery(analyzer, text) : bagOfTerms(analyzer.analyze(text));
}
