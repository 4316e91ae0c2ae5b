import type { Document } from '../../src/collection/index.js';
import type { Analyzer } from '../../src/retrieval/index.js';

/** Everything a weighting model needs, counted the slow way. */
export interface NaiveCollection {
  readonly ids: string[];
  readonly bags: Map<string, number>[];
  readonly lengths: number[];
  readonly N: number;
  readonly nonEmpty: number;
  readonly T: number;
  df(term: string): number;
  cf(term: string): number;
}

export function countCollection(documents: readonly Document[], analyzer: Analyzer): NaiveCollection {
  const bags = documents.map(({ title, text }) => {
    const bag = new Map<string, number>();
    for (const term of analyzer.analyze(title ? `${title} ${text}` : text))
      bag.set(term, (bag.get(term) ?? 0) + 1);
    return bag;
  });
  const lengths = bags.map((bag) => [...bag.values()].reduce((a, b) => a + b, 0));
  return {
    ids: documents.map(({ id }) => id),
    bags,
    lengths,
    N: documents.length,
    nonEmpty: lengths.filter((length) => length > 0).length,
    T: lengths.reduce((a, b) => a + b, 0),
    df: (term) => bags.filter((bag) => bag.has(term)).length,
    cf: (term) => bags.reduce((sum, bag) => sum + (bag.get(term) ?? 0), 0),
  };
}

export type NaiveModel = (c: NaiveCollection, term: string, tf: number, dl: number) => number;

/** The published formulas, letter by letter. */
export const naiveModels: Record<'dph' | 'bm25' | 'ql', NaiveModel> = {
  dph(c, term, tf, dl) {
    const f = tf < dl ? tf / dl : 0.99999;
    const avgdl = c.T / c.N;
    return (
      ((1 - f) ** 2 / (tf + 1)) *
      (tf * Math.log2(((tf * avgdl) / dl) * (c.N / c.cf(term))) + 0.5 * Math.log2(2 * Math.PI * tf * (1 - f)))
    );
  },
  bm25(c, term, tf, dl) {
    const idf = Math.log(1 + (c.nonEmpty - c.df(term) + 0.5) / (c.df(term) + 0.5));
    return (idf * tf) / (tf + 0.9 * (1 - 0.4 + (0.4 * dl) / (c.T / c.nonEmpty)));
  },
  ql(c, term, tf, dl) {
    const p = (c.cf(term) + 1) / (c.T + 1);
    return Math.max(0, Math.log(1 + tf / (1000 * p)) + Math.log(1000 / (dl + 1000)));
  },
};

/** Scores every document that has a query term, and sorts. */
export function naiveSearch(
  collection: NaiveCollection,
  model: NaiveModel,
  query: ReadonlyMap<string, number>,
  depth: number,
): { id: string; score: number }[] {
  const results: { id: string; score: number }[] = [];
  collection.bags.forEach((bag, d) => {
    let score = 0;
    let matched = false;
    for (const [term, weight] of query) {
      const tf = bag.get(term);
      if (tf === undefined) continue;
      matched = true;
      score += weight * model(collection, term, tf, collection.lengths[d]);
    }
    if (matched) results.push({ id: collection.ids[d], score });
  });
  return results
    .sort((a, b) => b.score - a.score || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)))
    .slice(0, depth);
}
