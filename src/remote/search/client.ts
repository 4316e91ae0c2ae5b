import type { IncomingMessage } from 'node:http';
import { clip } from '../../common/clip.js';
import { BertQeError, reasonOf, throwIfAborted } from '../../common/errors.js';
import { isTransientStatus, parseRetryAfter, TransientFailure } from '../../common/retry.js';
import { isJsonObject, type JsonObject } from '../../common/json.js';
import { optionalPackage } from '../../common/optional-package.js';
import type { EngineName, EngineRequest } from './dialect.js';

/** A refused request: the `cause` of the error that is thrown. */
export interface ClusterRefusal {
  readonly status: number;
  /** The server's name for it, e.g. `index_not_found_exception`. */
  readonly type: string;
}

/** The part of an official client that is used. */
export interface Client {
  /** The answer's body; throws {@link TransientFailure} where another attempt may succeed. */
  call(request: EngineRequest, signal: AbortSignal | undefined): Promise<unknown>;
  close(): Promise<void>;
}

/** The transport of both official clients, which have the same design. */
interface Transport {
  request(parameters: object, options: object): Promise<unknown>;
}

interface OfficialClient {
  readonly transport: Transport;
  close(): Promise<void>;
}

type OfficialConstructor = new (options: object) => OfficialClient;

/** The longest answer that is read, in time and in bytes. */
export interface AnswerLimits {
  readonly timeoutMs: number;
  readonly answerBytes: number;
}

/** Loads the official client of an engine and connects it. */
export async function openClient(
  engine: EngineName,
  nodes: readonly URL[],
  limits: AnswerLimits,
): Promise<Client> {
  const { timeoutMs, answerBytes } = limits;
  const Official =
    engine === 'opensearch'
      ? (
          await optionalPackage(
            '@opensearch-project/opensearch',
            'OpenSearch',
            () => import('@opensearch-project/opensearch'),
          )
        ).Client
      : (
          await optionalPackage(
            '@elastic/elasticsearch',
            'Elasticsearch',
            () => import('@elastic/elasticsearch'),
          )
        ).Client;
  // The clients' own retries have no jitter and ignore Retry-After.
  const official = new (Official as unknown as OfficialConstructor)({
    nodes: nodes.map(({ href }) => href.replace(/\/$/, '')),
    maxRetries: 0,
    requestTimeout: timeoutMs,
    maxResponseSize: answerBytes,
    maxCompressedResponseSize: answerBytes,
    ...(engine === 'opensearch' ? { Connection: await boundedConnection(limits) } : {}),
    ...authentication(),
  });
  return {
    call: (request, signal) => call(official.transport, request, limits, signal),
    close: () => official.close(),
  };
}

/** `BERT_QE_ENGINE_AUTHORIZATION` is sent as the Authorization header: `ApiKey …`, `Bearer …`. */
function authentication(): { headers?: Record<string, string> } {
  const { BERT_QE_ENGINE_AUTHORIZATION: authorization } = process.env;
  return authorization ? { headers: { authorization } } : {};
}

/**
 * Statuses that the clients hand on instead of making an error of them: OpenSearch's client throws one that cannot be
 * caught where the reason in the answer is not what it expects.
 */
const refusals = Array.from({ length: 200 }, (_, i) => 400 + i);

async function call(
  transport: Transport,
  { method, path, query, body, lines }: EngineRequest,
  { timeoutMs }: AnswerLimits,
  given: AbortSignal | undefined,
): Promise<unknown> {
  // The clients' own timeout is the one between two parts of an answer, which may be endless.
  const clock = AbortSignal.timeout(timeoutMs);
  const signal = given ? AbortSignal.any([given, clock]) : clock;
  const pending = transport.request(
    {
      method,
      path,
      ...(query ? { querystring: query } : {}),
      ...(lines === undefined ? (body ? { body } : {}) : { bulkBody: lines }),
    },
    { maxRetries: 0, meta: true, signal, ignore: refusals },
  );
  let refused: unknown;
  try {
    const answer = await unlessAborted(pending, signal);
    const { statusCode, body: said } = answer as { statusCode?: number; body: unknown };
    if (statusCode === undefined || statusCode < 400) return said;
    refused = answer;
  } catch (error) {
    throwIfAborted(given);
    if (clock.aborted) throw new TransientFailure(`no whole answer within ${timeoutMs} ms`, { cause: error });
    throw translated(error, method, path);
  }
  throw translated(refused, method, path);
}

/**
 * Rejects when the signal fires. Elasticsearch's client then ends the call by itself. OpenSearch's client would throw
 * an error that cannot be caught, so its call runs on, until {@link boundedConnection} ends it, and its answer is
 * ignored.
 */
function unlessAborted<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    pending.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

const tooLong = 'the answer is too long';

/** The connection of OpenSearch's client, which has no limit for answers, with one in bytes and in time. */
async function boundedConnection({ timeoutMs, answerBytes }: AnswerLimits): Promise<unknown> {
  const { Connection } = await import('@opensearch-project/opensearch');
  const Base = Connection as unknown as new (...options: unknown[]) => { request: RequestFunction };
  return class extends Base {
    override request: RequestFunction = (parameters, callback) =>
      super.request(parameters, (error, response) => {
        if (response) bound(response);
        callback(error, response);
      });
  };

  function bound(response: IncomingMessage): void {
    const end = (reason: string): void => {
      clearTimeout(clock);
      response.removeListener('data', count);
      // The client hears the reason; what it hears afterwards is the connection that was closed.
      if (response.listenerCount('error') > 0) response.emit('error', new Error(reason));
      response.on('error', () => undefined);
      response.destroy();
    };
    const clock = setTimeout(() => end('the answer has no end'), timeoutMs);
    let bytes = 0;
    const count = (chunk: Buffer | string): void => {
      bytes += chunk.length;
      if (bytes > answerBytes) end(tooLong);
    };
    response.on('data', count);
    response.on('close', () => clearTimeout(clock));
    // Nothing compressed is asked for, and what comes of it is of any length.
    if (response.headers['content-encoding']) setImmediate(() => end('the answer is compressed'));
  }
}

type RequestFunction = (
  parameters: object,
  callback: (error: Error | null, response: IncomingMessage | null) => void,
) => unknown;

/** Translates an error of the clients, which has `statusCode` and `body` where the server answered at all. */
function translated(error: unknown, method: string, path: string): Error {
  const { statusCode, body, headers } = error as {
    statusCode?: number;
    body?: unknown;
    headers?: Record<string, string>;
  };
  if (reasonOf(error).startsWith(tooLong) || /bigger than the maximum allowed/.test(reasonOf(error))) {
    return new BertQeError('failure', `${method} ${path}: ${tooLong}; is it a search engine?`, {
      cause: error,
    });
  }
  if (typeof statusCode !== 'number') {
    return new TransientFailure(`no answer (${reasonOf(error)})`, { cause: error });
  }
  const { type, reason } = describe(body);
  // A cluster's 500 is an error of the request; a node that is gone or coming back answers 502, 503 or 504.
  if (isTransientStatus(statusCode) && statusCode !== 500) {
    return new TransientFailure(`${statusCode} ${reason}`, {
      cause: error,
      overload: statusCode === 429,
      retryAfterMs: parseRetryAfter(headers?.['retry-after']),
    });
  }
  const refusal: ClusterRefusal = { status: statusCode, type };
  const isOurs = statusCode === 401 || statusCode === 403;
  const hint = isOurs ? ' Give user and password in the URL, or set BERT_QE_ENGINE_AUTHORIZATION.' : '';
  return new BertQeError(isOurs ? 'usage' : 'failure', `${method} ${path}: ${statusCode} ${reason}.${hint}`, {
    cause: refusal,
  });
}

/** Type and reason of an error in the server's words: those of the root cause, where there is one. */
function describe(body: unknown): { type: string; reason: string } {
  const error = (body as { error?: unknown } | null | undefined)?.error;
  if (typeof error !== 'object' || error === null) {
    const text = typeof error === 'string' ? error : typeof body === 'string' ? body : '';
    return { type: 'unknown', reason: firstLine(text) || 'no reason given' };
  }
  const { type, reason, root_cause: roots } = error as Readonly<Record<string, unknown>>;
  const root = (Array.isArray(roots) && isJsonObject(roots[0]) ? roots[0] : {}) as JsonObject;
  const name = textOr(root['type'], textOr(type, ''));
  return {
    type: name || 'unknown',
    reason: firstLine(textOr(root['reason'], textOr(reason, ''))) || name || 'no reason given',
  };
}

const textOr = (value: unknown, other: string): string => (typeof value === 'string' ? value : other);

function firstLine(text: string): string {
  return clip(text.split('\n', 1)[0].trim(), 300);
}
