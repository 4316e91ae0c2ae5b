import type { Analyzer } from '../analysis/index.js';
import { Dph, type WeightingModel } from '../models/index.js';
import { bagOfWords, terrierQuery, type WeightedQuery } from '../query.js';

/** The terms of a query before any feedback: DPH is Terrier's model and takes its query weights, the others Lucene's. */
export function firstQuery(model: WeightingModel, analyzer: Analyzer, text: string): WeightedQuery {
  return model instanceof Dph ? terrierQuery(analyzer, text) : bagOfWords(analyzer, text);
}
