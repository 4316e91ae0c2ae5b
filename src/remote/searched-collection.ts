import type { DocumentStore, Retriever } from '../collection/index.js';
import { hashJson } from '../common/hash.js';
import { Index, Searcher, type SearcherOptions } from '../retrieval/index.js';
import { EngineConnection } from './search/connection.js';
import type { EngineName } from './search/dialect.js';
import { EngineIndex, type ForeignFields } from './search/engine-index.js';
import { EngineRetriever } from './search/engine-retriever.js';

/** The place of an index, as plain data: a folder, or a name on a search cluster. */
export interface CollectionAddress {
  readonly index: string;
  /** Absent for a folder of this machine. */
  readonly cluster?: {
    readonly engine: EngineName;
    readonly urls: readonly string[];
    /** The fields of an index that bert-qe did not make. */
    readonly foreign?: ForeignFields;
  };
}

/** An index with its documents, in a folder or on a cluster. */
export interface SearchedCollection {
  /** The name for messages. */
  readonly name: string;
  readonly documents: DocumentStore;
  /** A hash that changes when the collection does. */
  readonly identity: string;
  /** Undefined for a collection that exists in this process only. */
  readonly address?: CollectionAddress;
  /** A retriever with these models; its name is theirs. */
  retriever(options: SearcherOptions): Retriever & { readonly name: string };
  /** The first of these ids that the collection does not have. */
  firstMissing(ids: readonly string[], signal?: AbortSignal): Promise<string | undefined>;
  /** Number of terms of a query after analysis; 1 where only the server could tell. */
  countTerms(text: string): number;
  close(): Promise<void>;
}

/** Opens the index at an address. */
export async function openCollection(
  address: CollectionAddress,
  signal?: AbortSignal,
): Promise<SearchedCollection> {
  const { index, cluster } = address;
  if (!cluster) return { ...folderCollection(Index.open(index), index), address };
  const connection = await EngineConnection.open(cluster, { signal });
  try {
    const { foreign } = cluster;
    const opened = await EngineIndex.open(connection, index, { signal, foreign });
    return { ...clusterCollection(opened), address };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** An open index of this machine as a collection; `name` is for messages. */
export function folderCollection(index: Index, name: string): SearchedCollection {
  return {
    name,
    documents: index,
    identity: index.manifest.digest,
    retriever: (options) => named(new Searcher(index, options)),
    firstMissing: async (ids) => ids.find((id) => index.documentNumber(id) === undefined),
    countTerms: (text) => index.analyzer.analyze(text).length,
    close: () => index.close(),
  };
}

function clusterCollection(index: EngineIndex): SearchedCollection {
  const retrievers: EngineRetriever[] = [];
  return {
    name: `${index.name} on ${index.connection.address}`,
    documents: index,
    identity: hashJson(index.name, index.manifest ?? index.statistics),
    retriever(options) {
      const retriever = new EngineRetriever(index, options);
      retrievers.push(retriever);
      return named(retriever);
    },
    async firstMissing(ids, signal) {
      const found = await index.get(ids, { signal });
      return ids.find((id) => !found.has(id));
    },
    countTerms: (text) => index.analyzer?.analyze(text).length ?? 1,
    async close() {
      await Promise.all(retrievers.map((retriever) => retriever.close()));
      await index.connection.close();
    },
  };
}

function named<R extends Retriever & Pick<Searcher, 'model' | 'feedback'>>(retriever: R) {
  const name = [retriever.model.name, retriever.feedback?.name].filter(Boolean).join('+');
  return Object.assign(retriever, { name });
}
