import { createHash } from 'node:crypto';
import {
  rankingsOf,
  readRunByQuery,
  type Query,
  type QueryRanking,
  type Retriever,
  type Run,
} from '../collection/index.js';
import { inputError, missingError, throwIfAborted } from '../common/errors.js';
import { DEFAULTS } from '../expansion/index.js';
import type { SearchedCollection } from '../remote/index.js';
import type { RunInputs } from './load-reranker.js';

/** The queries of a run and their initial rankings, which are read or retrieved one at a time. */
export interface InitialRankings {
  readonly queries: readonly Query[];
  /** Number of rankings. */
  readonly total: number;
  /** Everything that the rankings depend on besides the queries. */
  readonly inputs: RunInputs;
  /** The rankings, from the first one on. */
  rankings(): AsyncIterable<QueryRanking>;
}

/** The options of {@link runRankings}. */
export interface RunRankingsOptions {
  /** The collection that must have the documents. */
  readonly collection?: Pick<SearchedCollection, 'name' | 'firstMissing'>;
  /** Documents of a ranking that are looked up in the collection (1000). */
  readonly depth?: number;
  readonly signal?: AbortSignal | undefined;
  /** Names of the run and of the queries for messages (the file, `the queries`). */
  readonly names?: { readonly run?: string; readonly queries?: string };
  /** Leaves out the rankings of other queries than the given ones, instead of refusing the run. */
  readonly onlyQueries?: boolean;
}

/**
 * The rankings of a run, which is in memory or in a TREC file of any size with the lines of a query together. All of it
 * is checked now, before a model runs: queries must be known and, where a collection is given, documents present.
 */
export async function runRankings(
  run: string | Run,
  queries: readonly Query[],
  options: RunRankingsOptions = {},
): Promise<InitialRankings> {
  const { collection, depth = DEFAULTS.depth, signal } = options;
  const name = options.names?.run ?? (typeof run === 'string' ? run : 'The run');
  const known = new Set(queries.map(({ id }) => id));
  const rankings = async function* (): AsyncGenerator<QueryRanking> {
    for await (const ranking of typeof run === 'string' ? readRunByQuery(run) : rankingsOf(run)) {
      if (!options.onlyQueries || known.has(ranking.query)) yield ranking;
    }
  };
  const hash = createHash('sha256');
  let total = 0;
  for await (const { query, ranking } of rankings()) {
    throwIfAborted(signal);
    if (!known.has(query)) {
      throw missingError(
        `${name}: query "${query}" is not in ${options.names?.queries ?? 'the queries'}; give the queries that the ` +
          'run was made for.',
      );
    }
    const documents = ranking.slice(0, depth).map(({ id }) => id);
    const missing = await collection?.firstMissing(documents, signal);
    if (missing !== undefined) {
      throw missingError(
        `${name}: document "${missing}" of query "${query}" is not in ${collection!.name}; ` +
          'name the collection that the run was made from.',
      );
    }
    hash.update(JSON.stringify([query, ranking]));
    total++;
  }
  if (total === 0) {
    throw inputError(
      options.onlyQueries
        ? `${name}: the run ranks documents for none of the chosen queries; give one that was made for them.`
        : `${name}: the run is empty; give one with rankings in it.`,
    );
  }
  return { queries, total, inputs: { run: hash.digest('hex') }, rankings };
}

/** The options of {@link retrievedRankings}. */
export interface RetrievedRankingsOptions {
  /** Documents of a ranking (1000). */
  readonly depth?: number;
  /** Everything that the rankings depend on besides the queries: the index, the retriever's models. */
  readonly inputs?: RunInputs;
  readonly signal?: AbortSignal | undefined;
}

/** The rankings of a retriever, each of which is retrieved when its query is re-ranked. */
export function retrievedRankings(
  retriever: Retriever,
  queries: readonly Query[],
  options: RetrievedRankingsOptions = {},
): InitialRankings {
  const { depth = DEFAULTS.depth, inputs = {}, signal } = options;
  return {
    queries,
    total: queries.length,
    inputs,
    async *rankings() {
      for (const query of queries) {
        throwIfAborted(signal);
        const ranking = await retriever.search(query, { depth, signal });
        yield { query: query.id, ranking };
      }
    },
  };
}
