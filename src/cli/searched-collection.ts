import { hashJson } from '../common/hash.js';
import type { DocumentStore, Query, Retriever } from '../collection/index.js';
import type { EngineIndex, EngineRetriever } from '../remote/index.js';
import { BertQeError } from '../common/errors.js';
import { Index, Searcher } from '../retrieval/index.js';
import { connect, refuseEngineOptions, type EngineValues } from './engine-options.js';
import { makeModels, type RetrievalValues } from './retrieval-options.js';

/** What a command searches, be it a folder or an index on a cluster. */
export interface SearchedCollection {
  /** For messages. */
  readonly name: string;
  readonly store: DocumentStore;
  /** Changes when the collection does. */
  readonly identity: string;
  /** A retriever with the models that the options name, and what it is called. */
  retriever(values: RetrievalValues): Retriever & { readonly name: string };
  /** The first of these ids that the collection does not have. */
  firstMissing(ids: readonly string[], signal: AbortSignal): Promise<string | undefined>;
  /** Why a query has an empty ranking. */
  whyNothing(query: Query): string;
  close(): Promise<void>;
}

/** The collection that `--index` names, with `--engine` on a cluster. */
export async function openCollection(
  values: EngineValues & { readonly index: string },
  signal: AbortSignal,
): Promise<SearchedCollection> {
  if (values.engine === undefined) {
    refuseEngineOptions(values);
    return embedded(Index.open(values.index), values.index);
  }
  const connection = await connect(values, signal);
  try {
    const text = values['text-field'];
    const title = values['title-field'];
    if (title !== undefined && text === undefined) {
      throw new BertQeError('usage', '--title-field has no effect without --text-field.');
    }
    const foreign =
      text === undefined ? {} : { foreign: { text, ...(title === undefined ? {} : { title }) } };
    const engines = await import('../remote/index.js');
    const index = await engines.EngineIndex.open(connection, values.index, { signal, ...foreign });
    return onCluster(index, engines.EngineRetriever);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

export function embedded(index: Index, name: string): SearchedCollection {
  return {
    name,
    store: index,
    identity: hashJson(index.manifest),
    retriever(values) {
      const searcher = new Searcher(index, makeModels(values));
      return Object.assign(searcher, { name: nameOf(searcher) });
    },
    async firstMissing(ids) {
      return ids.find((id) => index.documentNumber(id) === undefined);
    },
    whyNothing: (query) => whyNothing(query, index.analyzer.analyze(query.text).length),
    close: () => index.close(),
  };
}

function onCluster(index: EngineIndex, Retriever: typeof EngineRetriever): SearchedCollection {
  const retrievers: EngineRetriever[] = [];
  return {
    name: `${index.name} on ${index.connection.address}`,
    store: index,
    identity: hashJson(index.name, index.manifest ?? index.statistics),
    retriever(values) {
      const retriever = new Retriever(index, makeModels(values));
      retrievers.push(retriever);
      return Object.assign(retriever, { name: nameOf(retriever) });
    },
    async firstMissing(ids, signal) {
      const found = await index.get(ids, { signal });
      return ids.find((id) => !found.has(id));
    },
    whyNothing: (query) => whyNothing(query, index.analyzer?.analyze(query.text).length ?? 1),
    async close() {
      await Promise.all(retrievers.map((retriever) => retriever.close()));
      await index.connection.close();
    },
  };
}

function nameOf({ model, feedback }: Pick<Searcher, 'model' | 'feedback'>): string {
  return [model.name, feedback?.name].filter(Boolean).join('+');
}

function whyNothing(query: Query, terms: number): string {
  const reason =
    terms === 0
      ? 'it has only stop words or signs; add a word that says what is wanted'
      : 'none of its words is in the index; try others';
  return `Query ${query.id} ("${query.text}") finds nothing: ${reason}.`;
}
