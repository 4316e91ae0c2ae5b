import { BertQeError, reasonOf, throwIfAborted } from '../../common/errors.js';
import { retry, type RetryPolicy, TransientFailure } from '../../common/retry.js';
import { anything, object, optional, text, type Shape, WrongShape } from './answer-shape.js';
import { openClient, type Client, type ClusterRefusal } from './client.js';
import { dialects, type Dialect, type EngineName, type EngineRequest } from './dialect.js';

/** The address of a cluster, and limits for calls. */
export interface ConnectionOptions {
  readonly engine: EngineName;
  /** Nodes of the cluster; user and password may stand in the URL. */
  readonly urls: readonly string[];
  /** Milliseconds after which a call that is not answered to the end counts as failed (60,000). */
  readonly timeoutMs?: number;
  /** Bytes of the longest answer that is read (256 MB). */
  readonly answerBytes?: number;
  readonly retry?: Partial<RetryPolicy>;
}

/** The options of one call. */
export interface EngineCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Attempts (the connection's own number). */
  readonly attempts?: number;
}

/** As much of the answer to the first call as is needed. */
const hello = object({ version: object({ number: text, distribution: optional(text) }) });

/** A search cluster through its official client. Calls are repeated after transient failures. */
export class EngineConnection {
  private constructor(
    readonly engine: EngineName,
    readonly version: string,
    /** The URLs of the nodes, without passwords. */
    readonly address: string,
    readonly timeoutMs: number,
    private readonly client: Client,
    readonly retryPolicy: Partial<RetryPolicy>,
  ) {}

  static async open(options: ConnectionOptions, call: EngineCallOptions = {}): Promise<EngineConnection> {
    const { engine, urls, timeoutMs = 60_000, answerBytes = 256 * 1024 * 1024 } = options;
    const nodes = urls.map(checkedUrl);
    const address = nodes.map((url) => `${url.protocol}//${url.host}`).join(', ');
    const client = await openClient(engine, nodes, { timeoutMs, answerBytes });
    const policy = options.retry ?? {};
    try {
      const answer = await retry(() => client.call({ method: 'GET', path: '/' }, call.signal), {
        what: address,
        policy,
        signal: call.signal,
      });
      const { version } = checked(answer, hello, engine, address);
      const isOpenSearch = version.distribution === 'opensearch';
      if (isOpenSearch !== (engine === 'opensearch')) {
        const other = isOpenSearch ? 'opensearch' : 'elasticsearch';
        throw new BertQeError(
          'usage',
          `${address} is ${other} ${version.number}, not ${engine}: say --engine ${other}.`,
        );
      }
      return new EngineConnection(engine, version.number, address, timeoutMs, client, policy);
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  get dialect(): Dialect {
    return dialects[this.engine];
  }

  /**
   * One call, repeated after transient failures; all calls made here are idempotent. An answer of another shape is
   * refused. `lacks` names what is missing in one (a shard that is away, time that ran out), which counts as a
   * transient failure too.
   */
  async call<T = unknown>(
    request: EngineRequest,
    shape: Shape<T>,
    options: EngineCallOptions = {},
    lacks: (answer: T) => string | undefined = () => undefined,
  ): Promise<T> {
    const attempt = async (): Promise<T> => {
      const answer = await this.once(request, shape, options.signal);
      const missing = lacks(answer);
      if (missing !== undefined) throw new TransientFailure(missing);
      return answer;
    };
    return retry(attempt, {
      what: `${this.address}${request.path}`,
      policy: { ...this.retryPolicy, ...(options.attempts ? { attempts: options.attempts } : {}) },
      signal: options.signal,
    });
  }

  /** One call, not repeated: what is worth repeating is thrown as {@link TransientFailure}. */
  async once<T>(request: EngineRequest, shape: Shape<T>, signal?: AbortSignal): Promise<T> {
    throwIfAborted(signal);
    const answer = await this.client.call(request, signal);
    return checked(answer, shape, this.engine, `${this.address}${request.path}`);
  }

  /** A call whose answer says nothing of interest. */
  async act(request: EngineRequest, options: EngineCallOptions = {}): Promise<void> {
    await this.call(request, anything, options);
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

function checked<T>(answer: unknown, shape: Shape<T>, engine: EngineName, what: string): T {
  try {
    return shape(answer, '');
  } catch (error) {
    if (!(error instanceof WrongShape)) throw error;
    throw new BertQeError(
      'failure',
      `${what} does not answer like ${engine} (${error.message}); check the URL and what is in between.`,
    );
  }
}

/** The refusal behind an error; undefined where something else failed. */
export function refusalOf(error: unknown): ClusterRefusal | undefined {
  if (!(error instanceof BertQeError)) return undefined;
  const cause = error.cause as Partial<ClusterRefusal> | undefined;
  return typeof cause?.status === 'number' && typeof cause.type === 'string'
    ? (cause as ClusterRefusal)
    : undefined;
}

function checkedUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new BertQeError('usage', `"${text}" is not a URL (${reasonOf(cause)}); write http://HOST:9200.`, {
      cause,
    });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new BertQeError('usage', `${text}: the URL of a search engine starts with http:// or https://.`);
  }
  return url;
}

/** The lack of an answer without all shards, for {@link EngineConnection.call}; undefined where all are there. */
export function missingShards(index: string, total: number, available: number): string | undefined {
  return available < total
    ? `${total - available} of ${total} shards of ${index} cannot be searched`
    : undefined;
}
