import { clip } from '../../common/clip.js';
import { BertQeError, failureError, throwIfAborted, usageError } from '../../common/errors.js';
import { isJsonObject, type JsonObject } from '../../common/json.js';
import { isTransientStatus, retry, type RetryPolicy, TransientFailure } from '../../common/retry.js';
import {
  exchange,
  parseAnswer,
  serverUrl,
  transient,
  type HttpAnswer,
  type Refusal,
} from '../net/exchange.js';
import { anything, object, optional, text, type Shape, WrongShape } from './answer-shape.js';
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

/** The part of the answer to the first call that is needed. */
const hello = object({ version: object({ number: text, distribution: optional(text) }) });

/** A search cluster. Calls go to its nodes in turn, and are repeated after transient failures. */
export class EngineConnection {
  readonly engine: EngineName;
  /** The URLs of the nodes, without passwords. */
  readonly address: string;
  readonly timeoutMs: number;
  readonly retryPolicy: Partial<RetryPolicy>;
  readonly #nodes: readonly URL[];
  readonly #answerBytes: number;
  #version = '';
  #calls = 0;
  #isClosed = false;

  private constructor(options: ConnectionOptions) {
    const { engine, urls, timeoutMs = 60_000, answerBytes = 256 * 1024 * 1024, retry: policy = {} } = options;
    this.engine = engine;
    this.timeoutMs = timeoutMs;
    this.retryPolicy = policy;
    this.#answerBytes = answerBytes;
    this.#nodes = urls.map((url) => serverUrl(url, 'http://HOST:9200'));
    this.address = this.#nodes.map((url) => `${url.protocol}//${url.host}`).join(', ');
  }

  static async open(options: ConnectionOptions, call: EngineCallOptions = {}): Promise<EngineConnection> {
    const connection = new EngineConnection(options);
    const { engine, address } = connection;
    const { version } = await connection.call({ method: 'GET', path: '/' }, hello, call);
    const there = version.distribution === 'opensearch' ? 'opensearch' : 'elasticsearch';
    if (there !== engine) {
      throw usageError(`${address} is ${there} ${version.number}, not ${engine}: say --engine ${there}.`);
    }
    connection.#version = version.number;
    return connection;
  }

  get version(): string {
    return this.#version;
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

  /** Makes one call and does not repeat it. A failure that is worth repeating is thrown as {@link TransientFailure}. */
  async once<T>(request: EngineRequest, shape: Shape<T>, signal?: AbortSignal): Promise<T> {
    throwIfAborted(signal);
    if (this.#isClosed) throw usageError('The connection is closed; open it again.');
    const answer = await this.#send(request, signal);
    try {
      return shape(answer, '');
    } catch (error) {
      if (!(error instanceof WrongShape)) throw error;
      throw failureError(
        `${this.address}${request.path} does not answer like ${this.engine} (${error.message}); ` +
          'check the URL and what is in between.',
      );
    }
  }

  /** A call whose answer says nothing of interest. */
  async act(request: EngineRequest, options: EngineCallOptions = {}): Promise<void> {
    await this.call(request, anything, options);
  }

  /** Refuses further calls. */
  async close(): Promise<void> {
    this.#isClosed = true;
  }

  async #send(request: EngineRequest, signal: AbortSignal | undefined): Promise<unknown> {
    const { method, path, query, body, lines } = request;
    const node = this.#nodes[this.#calls++ % this.#nodes.length];
    const url = new URL(node.origin + node.pathname.replace(/\/$/, '') + path);
    url.search = new URLSearchParams(query).toString();
    const sent = {
      method,
      url: url.href,
      headers: {
        ...authorization(node),
        ...(lines === undefined ? {} : { 'content-type': 'application/x-ndjson' }),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: lines ?? (body && JSON.stringify(body)),
      timeoutMs: this.timeoutMs,
      answerBytes: this.#answerBytes,
    };
    const answer = await exchange(sent, signal);
    if (answer.status >= 400) throw refusal(request, answer);
    return parseAnswer(answer.text);
  }
}

/** `BERT_QE_ENGINE_AUTHORIZATION` is sent as it is (`ApiKey …`, `Bearer …`), else user and password of the URL. */
function authorization({ username, password }: URL): { authorization?: string } {
  const { BERT_QE_ENGINE_AUTHORIZATION: given } = process.env;
  if (given) return { authorization: given };
  if (username === '') return {};
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(user).toString('base64')}` };
}

function refusal({ method, path }: EngineRequest, answer: HttpAnswer): Error {
  const { status } = answer;
  const { type, reason } = describeRefusal(answer.text);
  // A cluster's 500 is an error of the request; a node that is gone or coming back answers 502, 503 or 504.
  if (isTransientStatus(status) && status !== 500) return transient(answer, reason);
  const cause: Refusal = { status, type };
  const isOurs = status === 401 || status === 403;
  const hint = isOurs ? ' Give user and password in the URL, or set BERT_QE_ENGINE_AUTHORIZATION.' : '';
  return new BertQeError(isOurs ? 'usage' : 'failure', `${method} ${path}: ${status} ${reason}.${hint}`, {
    cause,
  });
}

/** Type and reason of an error in the server's words: those of the root cause, where there is one. */
function describeRefusal(said: string): { type: string; reason: string } {
  let error: unknown;
  try {
    error = (JSON.parse(said) as { error?: unknown } | null)?.error;
  } catch {
    error = said;
  }
  const { type, reason, root_cause: roots }: JsonObject = isJsonObject(error) ? error : { reason: error };
  const root = Array.isArray(roots) && isJsonObject(roots[0]) ? roots[0] : {};
  const name = textOr(root['type'], textOr(type, ''));
  return {
    type: name || 'unknown',
    reason: firstLine(textOr(root['reason'], textOr(reason, ''))) || name || 'no reason given',
  };
}

const textOr = (value: unknown, other: string): string => (typeof value === 'string' ? value : other);

function firstLine(lines: string): string {
  return clip(lines.split('\n', 1)[0].trim(), 300);
}

/** A description of the shards that an answer lacks, for {@link EngineConnection.call}; undefined if it has all. */
export function missingShards(index: string, total: number, available: number): string | undefined {
  return available < total
    ? `${total - available} of ${total} shards of ${index} cannot be searched`
    : undefined;
}

/** A description of the documents or shards that an answer does not cover; undefined if it covers all. */
export function missingAnswers(
  found: readonly unknown[],
  asked: readonly unknown[],
  what = 'documents',
): string | undefined {
  return found.length === asked.length
    ? undefined
    : `the server answered for ${found.length} of ${asked.length} ${what}`;
}
