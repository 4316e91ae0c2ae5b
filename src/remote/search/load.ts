import { isDeepStrictEqual } from 'node:util';
import { InFlight } from '../../common/in-flight.js';
import { failureError, usageError } from '../../common/errors.js';
import { analyzerFromSpec, type AnalyzerSpec } from '../../retrieval/index.js';
import { retry, TransientFailure } from '../../common/retry.js';
import { Limiter } from '../../common/limiter.js';
import { sendBulk } from './bulk.js';
import { number as aNumber, object, optional } from './answer-shape.js';
import { refusalOf } from '../net/exchange.js';
import type { EngineConnection } from './connection.js';
import {
  fields,
  usualSimilarities,
  indexDefinition,
  type EngineManifest,
  type EngineStatistics,
  type LoadState,
  type NativeSimilarities,
} from './definition.js';
import { readIndexManifest } from './engine-index.js';
import { loadBatches, LoadedPrefix, type LoadItem, type Source } from './load-items.js';

/** The options of {@link loadEngineIndex}. */
export interface EngineLoadOptions {
  readonly connection: EngineConnection;
  /** Name of the index; it is created, or an earlier load is continued. */
  readonly index: string;
  readonly analyzer: AnalyzerSpec;
  /** Fields with Lucene's own similarities beside the exact ones (BM25 .9/.4 and QL 1000). */
  readonly native?: NativeSimilarities;
  /**
   * False for a server that runs no scripts (true). The index then has Lucene's own similarities only, and the analyzer
   * `terrier` cannot be used.
   */
  readonly scripts?: boolean;
  /** Parts of the index (1). */
  readonly shards?: number | undefined;
  /** Copies of each shard when the load is complete (0). */
  readonly replicas?: number | undefined;
  /** Bulk requests at a time (2); fewer while the server is overloaded. */
  readonly concurrency?: number;
  /** Size of a bulk request: documents (1,000) and bytes (5 MB), whichever comes first. */
  readonly batchDocuments?: number;
  readonly batchBytes?: number;
  /** Milliseconds between two writes of the load's state (10,000). */
  readonly checkpointMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Documents acknowledged so far, those of earlier attempts included. */
  readonly onProgress?: (documents: number) => void;
}

/** The result of a load. */
export interface EngineLoadReport {
  readonly statistics: EngineStatistics;
  /** Documents that an earlier attempt had loaded. */
  readonly resumedAt: number;
}

/**
 * Loads a collection into an index of the cluster. After a failure the next call continues after the last document that
 * the server acknowledged. Documents that it already has are recognised. At the end the documents are counted; if
 * any are missing, the whole collection is sent once more.
 */
export async function loadEngineIndex(
  documents: () => Source,
  options: EngineLoadOptions,
): Promise<EngineLoadReport> {
  const load = await Load.begin(options);
  const resumedAt = load.state.acknowledged;
  let total = await load.send(documents(), resumedAt);
  let found = await load.count();
  if (found < total) {
    // Acknowledged documents are gone: a disk was lost, or they were deleted.
    total = await load.send(documents(), 0);
    found = await load.count();
  }
  if (found !== total) {
    throw failureError(
      `${options.index} holds ${found} documents after ${total} were loaded; somebody else writes into it. ` +
        'Delete it and load again.',
    );
  }
  return { statistics: await load.complete(total), resumedAt };
}

const statisticsAnswer = object({
  aggregations: object({
    tokens: object({ value: aNumber }),
    longest: object({ value: optional(aNumber) }),
    nonEmpty: object({ doc_count: aNumber }),
  }),
});

class Load {
  readonly #path: string;
  readonly #limiter: Limiter;

  private constructor(
    private readonly options: EngineLoadOptions,
    private manifest: EngineManifest,
  ) {
    this.#path = `/${encodeURIComponent(options.index)}`;
    this.#limiter = new Limiter(options.concurrency ?? 2);
  }

  get state(): LoadState {
    return this.manifest.load;
  }

  /** Creates the index, or reads the state of an earlier load. */
  static async begin(options: EngineLoadOptions): Promise<Load> {
    const { connection, index, analyzer, signal } = options;
    const { native = usualSimilarities, scripts = true, shards = 1, replicas = 0 } = options;
    const path = `/${encodeURIComponent(index)}`;
    try {
      const body = indexDefinition({ analyzer, native, scripts, shards, replicas });
      await connection.act({ method: 'PUT', path, body }, { signal });
    } catch (error) {
      // The index also exists where the answer to our first attempt was lost.
      if (refusalOf(error)?.type !== 'resource_already_exists_exception') throw error;
    }
    const manifest = await readIndexManifest(connection, index, { signal });
    if (manifest.load.state === 'complete') {
      throw usageError(
        `The index ${index} on ${connection.address} is already loaded; delete it first, or choose another name.`,
      );
    }
    const settings = [manifest.analyzer, manifest.native, manifest.scripts ?? true];
    if (!isDeepStrictEqual(settings, [analyzer, native, scripts])) {
      throw usageError(
        `The index ${index} was begun with other settings; use those, or choose another name.`,
      );
    }
    return new Load(options, manifest);
  }

  /** Sends the documents from number `from` on and returns the number of all. */
  async send(documents: Source, from: number): Promise<number> {
    const { signal, batchDocuments = 1000, batchBytes = 5_000_000, checkpointMs = 10_000 } = this.options;
    const analyzer = analyzerFromSpec(this.manifest.analyzer);
    const { lastId } = this.state;
    const prefix = new LoadedPrefix(from);
    const failed = new AbortController();
    const stop = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
    // At most twice as many batches in memory as are sent at a time.
    const inFlight = new InFlight(2 * this.#limiter.most);
    let savedAt = performance.now();
    let total = from;
    try {
      const batching = { analyzer, from, lastId, batchDocuments, batchBytes, signal };
      for await (const items of loadBatches(documents, batching)) {
        total += items.length;
        await inFlight.room();
        const sent = this.#send(items, stop).then(() => {
          prefix.add(items[0].number, items.length, items.at(-1)!.id);
          this.options.onProgress?.(prefix.done);
        });
        sent.catch(() => failed.abort());
        inFlight.add(sent);
        if (performance.now() - savedAt > checkpointMs) {
          savedAt = performance.now();
          await this.#saveState(prefix);
        }
      }
    } catch (error) {
      inFlight.fail(error);
    }
    await inFlight.ended();
    // Acknowledged documents need not be sent again, however this ended.
    await this.#saveState(prefix).catch((error: unknown) => inFlight.fail(error));
    await inFlight.drained();
    return total;
  }

  /** Sends a batch until every document of it is in the index. */
  async #send(items: readonly LoadItem[], signal: AbortSignal): Promise<void> {
    const { connection, index } = this.options;
    let left = items;
    const send = async (): Promise<void> => {
      try {
        left = await sendBulk(connection, index, left, signal);
      } catch (error) {
        if (error instanceof TransientFailure) this.#limiter.slowDown();
        throw error;
      }
      if (left.length === 0) return;
      this.#limiter.slowDown();
      throw new TransientFailure(`the server has too much to do for ${left.length} documents`, {
        overload: true,
      });
    };
    await retry(() => this.#limiter.run(send, signal), {
      what: `Loading ${index}`,
      policy: { ...connection.retryPolicy, attempts: 30 },
      signal,
    });
  }

  async #saveState({ done, lastId }: LoadedPrefix): Promise<void> {
    if (done <= this.state.acknowledged) return;
    await this.#write({
      ...this.manifest,
      load: { state: 'loading', acknowledged: done, ...(lastId === undefined ? {} : { lastId }) },
    });
  }

  async #write(manifest: EngineManifest): Promise<void> {
    const body = { _meta: { bert_qe: manifest } };
    const request = { method: 'PUT', path: `${this.#path}/_mapping`, body } as const;
    // Few attempts: a command that ends must not wait for a server that is gone.
    await this.options.connection.act(request, { attempts: 5 });
    this.manifest = manifest;
  }

  async count(): Promise<number> {
    const { connection, index, signal } = this.options;
    await connection.act({ method: 'POST', path: `${this.#path}/_refresh` }, { signal });
    const answer = await connection.call(
      { method: 'GET', path: `${this.#path}/_count` },
      object({ count: aNumber, _shards: object({ failed: aNumber }) }),
      { signal },
    );
    if (answer._shards.failed > 0) throw failureError(`Some shards of ${index} do not answer.`);
    return answer.count;
  }

  /** Computes the statistics that models need, and opens the index for searching. */
  async complete(total: number): Promise<EngineStatistics> {
    const { connection, signal } = this.options;
    const length = { field: fields.length };
    const aggs = {
      tokens: { sum: length },
      longest: { max: length },
      nonEmpty: { filter: { range: { [fields.length]: { gt: 0 } } } },
    };
    const query = { size: '0', allow_partial_search_results: 'false' };
    const { aggregations: found } = await connection.call(
      { method: 'POST', path: `${this.#path}/_search`, query, body: { aggs } },
      statisticsAnswer,
      { signal },
    );
    const statistics: EngineStatistics = {
      documents: total,
      nonEmptyDocuments: found.nonEmpty.doc_count,
      tokens: found.tokens.value,
      maxLength: found.longest.value ?? 0,
    };
    const body = { index: { refresh_interval: null, number_of_replicas: this.manifest.replicas } };
    await connection.act({ method: 'PUT', path: `${this.#path}/_settings`, body }, { signal });
    const load = { ...this.state, state: 'complete' as const, acknowledged: total };
    await this.#write({ ...this.manifest, load, statistics });
    return statistics;
  }
}
