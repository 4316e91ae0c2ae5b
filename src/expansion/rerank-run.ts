import type { DocumentStore, Query, QueryRanking, Ranking, Run, RunSource } from '../collection/index.js';
import { BertQeError, throwIfAborted } from '../common/errors.js';
import type { BertQE, RerankOptions } from './bert-qe.js';
import type { InputDocument } from './inputs.js';
import type { Reranking } from './result.js';

/** A query of a run, re-ranked. */
export interface RerankedQuery extends Reranking {
  readonly query: Query;
  /** The results as a ranking, to be written into a run. */
  readonly ranking: Ranking;
}

/** Re-ranks the queries of a run one after the other; what is done with one is let go before the next. */
export async function* rerankRun(
  bertQe: BertQE,
  queries: Iterable<Query>,
  run: RunSource,
  store: DocumentStore,
  options: Omit<RerankOptions, 'queryId'> = {},
): AsyncGenerator<RerankedQuery> {
  const byId = new Map(Array.from(queries, (query) => [query.id, query]));
  const rankings = run instanceof Map ? entriesOf(run as Run) : (run as Exclude<RunSource, Run>);
  for await (const { query: id, ranking } of rankings) {
    throwIfAborted(options.signal);
    const query = byId.get(id);
    if (!query) throw new BertQeError('missing', `The run has query "${id}", but there is no such query.`);
    const documents = await withTexts(query, ranking, bertQe.settings.depth, store);
    const reranking = await bertQe.rerank(query.text, documents, { ...options, queryId: id });
    yield { query, ranking: reranking.results.map(({ id, score }) => ({ id, score })), ...reranking };
  }
}

/** Only documents that will be re-ranked are fetched; the others keep their order whatever they say. */
async function withTexts(
  query: Query,
  ranking: Ranking,
  depth: number,
  store: DocumentStore,
): Promise<InputDocument[]> {
  const best = [...ranking].sort((a, b) => b.score - a.score);
  const found = await store.get(best.slice(0, depth).map(({ id }) => id));
  return best.map(({ id, score }, i) => {
    if (i >= depth) return { id, text: '', score };
    const document = found.get(id);
    if (document) return { ...document, score };
    throw new BertQeError(
      'missing',
      `Document "${id}", ranked for query "${query.id}", is not in the collection; use the index or documents that ` +
        'the run was made with.',
    );
  });
}

function* entriesOf(run: Run): Generator<QueryRanking> {
  for (const [query, ranking] of run) yield { query, ranking };
}
