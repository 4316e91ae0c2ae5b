import { evaluate } from '../../../src/evaluation/evaluate.js';

/** The measures that are shown: the paper's, AP cut at the documents listed. */
export const shownMeasures = ['nDCG@20', 'P@20', 'AP@100'] as const;

export type Measures = Readonly<Record<(typeof shownMeasures)[number], number>>;

/** The measures of a ranking (document ids, best first) by a query's judgements, as trec_eval counts. */
export function measure(ranking: readonly string[], levels: Readonly<Record<string, number>>): Measures {
  const { summary } = evaluate(
    new Map([['query', ranking.map((id, i) => ({ id, score: -i }))]]),
    new Map([['query', new Map(Object.entries(levels))]]),
    { measures: shownMeasures },
  );
  return Object.fromEntries(shownMeasures.map((name) => [name, summary.get(name)!])) as unknown as Measures;
}
