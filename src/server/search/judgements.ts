import type { Ranking } from '../../collection/index.js';
import { evaluate } from '../../evaluation/index.js';
import { countRelevant } from '../catalogue/collection.js';
import type { Judgements, SearchAnswer } from '../schemas/index.js';

/** Measures of a single query: of its first page, and of the whole list. */
const shownMeasures = ['P@5', 'P@20', 'nDCG@10', 'nDCG@20', 'AP@100'];

/** The judgements of a query, and the measures of its three rankings. */
export function judgementsOf(
  { id, levels }: { readonly id: string; readonly levels: ReadonlyMap<string, number> },
  initial: readonly { readonly id: string }[],
  final: Ranking,
  explanation: SearchAnswer['explanation'],
): Judgements {
  const measure = (ranking: Ranking): Record<string, number> => {
    const { summary } = evaluate(new Map([[id, ranking]]), new Map([[id, levels]]), {
      measures: shownMeasures,
    });
    return Object.fromEntries(summary);
  };
  const documents = explanation?.documents ?? [];
  const isRanked = documents.length > 0 && documents.every(({ ranks }) => ranks.phase1 !== null);
  return {
    queryId: id,
    levels: Object.fromEntries(levels),
    relevant: countRelevant(levels),
    measures: {
      initial: measure(initial.map((result, i) => ({ id: result.id, score: -i }))),
      phase1: isRanked
        ? measure(documents.map((document) => ({ id: document.id, score: -document.ranks.phase1! })))
        : null,
      final: measure(final.map((result, i) => ({ id: result.id, score: -i }))),
    },
  };
}
