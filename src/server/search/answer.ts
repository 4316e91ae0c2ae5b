import { evaluate } from '../../evaluation/index.js';
import type { InputDocument, Reranking, Settings } from '../../expansion/core.js';
import { countRelevant } from '../catalogue/collection.js';
import { shownSettings } from '../catalogue/shown-settings.js';
import { showExplanation } from '../rerank/explanation.js';
import type { Judgements, SearchAnswer, SearchEvents } from '../schemas/index.js';

/** Documents to re-rank, with their initial scores where they have any. */
type Candidates = readonly (InputDocument & { readonly id: string })[];

type InitialResults = SearchEvents['initial']['results'];

/** The initial ranking as answers have it: by score if there are scores, else as the documents come. */
export function initialResults(
  documents: Candidates,
  levels: ReadonlyMap<string, number> | undefined,
  texts = false,
): InitialResults {
  const ranked = [...documents].sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  return ranked.map(({ id, title, text, score }, i) => ({
    id,
    initialRank: i + 1,
    initialScore: score ?? null,
    ...(levels?.has(id) ? { level: levels.get(id)! } : {}),
    ...(texts ? { ...(title === undefined ? {} : { title }), text } : {}),
  }));
}

/** A finished search. */
export interface FinishedSearch extends Pick<SearchAnswer, 'id' | 'query' | 'model' | 'firstStage'> {
  readonly documents: Candidates;
  readonly initial: InitialResults;
  /** The judged query that this is. */
  readonly judged: { readonly id: string; readonly levels: ReadonlyMap<string, number> } | undefined;
  readonly reranking: Reranking;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  /** When it began, by `performance.now()`. */
  readonly started: number;
  readonly milliseconds: Pick<SearchAnswer['milliseconds'], 'retrieval' | 'queue'>;
}

/** The answer to a search; the page without a server makes its answers of it too. */
export async function searchAnswer(search: FinishedSearch): Promise<SearchAnswer> {
  const { id, query, model, firstStage, documents, initial, judged, reranking, settings } = search;
  const byId = new Map(initial.map((result) => [result.id, result]));
  const { complete, cost } = reranking;
  const found = new Map(documents.map((document) => [document.id, document]));
  const explanation =
    reranking.explanation && (await showExplanation(reranking.explanation, found, settings, search.signal));
  return {
    id,
    query,
    model,
    firstStage,
    settings: shownSettings(settings),
    results: reranking.results.map(({ id, rank, score, relevance, certain }) => ({
      ...byId.get(id)!,
      rank,
      score,
      ...(relevance === undefined ? {} : { relevance }),
      certain,
    })),
    complete,
    ...(explanation ? { explanation } : {}),
    ...(judged ? { judgements: judgementsOf(judged, initial, reranking.results, explanation) } : {}),
    cost,
    milliseconds: {
      ...search.milliseconds,
      rerank: 1000 * cost.seconds,
      total: performance.now() - search.started,
    },
  };
}

/** Measures of a single query: of its first page, and of the whole list. */
const shownMeasures = ['P@5', 'P@20', 'nDCG@10', 'nDCG@20', 'AP@100'];

/** Results, best first. */
type Ranked = readonly { readonly id: string }[];

/** The judgements of a query, and the measures of its three rankings. */
function judgementsOf(
  { id, levels }: { readonly id: string; readonly levels: ReadonlyMap<string, number> },
  initial: Ranked,
  final: Ranked,
  explanation: SearchAnswer['explanation'],
): Judgements {
  const measure = (ranked: Ranked): Record<string, number> => {
    const ranking = ranked.map((result, i) => ({ id: result.id, score: -i }));
    const measures = shownMeasures;
    const { summary } = evaluate(new Map([[id, ranking]]), new Map([[id, levels]]), { measures });
    return Object.fromEntries(summary);
  };
  const documents = explanation?.documents ?? [];
  const isRanked = documents.length > 0 && documents.every(({ ranks }) => ranks.phase1 !== null);
  const byPhaseOne = [...documents].sort((a, b) => a.ranks.phase1! - b.ranks.phase1!);
  return {
    queryId: id,
    levels: Object.fromEntries(levels),
    relevant: countRelevant(levels),
    measures: {
      initial: measure(initial),
      phase1: isRanked ? measure(byPhaseOne) : null,
      final: measure(final),
    },
  };
}
