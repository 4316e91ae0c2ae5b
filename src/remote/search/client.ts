import { BertQeError, reasonOf, throwIfAborted } from '../../common/errors.js';
import { isTransientStatus, parseRetryAfter, TransientFailure } from '../../common/retry.js';
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

/** Loads the official client of an engine and connects it. */
export async function openClient(
  engine: EngineName,
  nodes: readonly URL[],
  timeoutMs: number,
): Promise<Client> {
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
    ...authentication(),
  });
  return {
    call: (request, signal) => call(official.transport, request, signal),
    close: () => official.close(),
  };
}

/** `BERT_QE_ENGINE_AUTHORIZATION` is sent as the Authorization header: `ApiKey …`, `Bearer …`. */
function authentication(): { headers?: Record<string, string> } {
  const { BERT_QE_ENGINE_AUTHORIZATION: authorization } = process.env;
  return authorization ? { headers: { authorization } } : {};
}

async function call(
  transport: Transport,
  { method, path, query, body, lines }: EngineRequest,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const pending = transport.request(
    {
      method,
      path,
      ...(query ? { querystring: query } : {}),
      ...(lines === undefined ? (body ? { body } : {}) : { bulkBody: lines }),
    },
    { maxRetries: 0, meta: true, ...(signal ? { signal } : {}) },
  );
  try {
    const answer = await (signal ? unlessAborted(pending, signal) : pending);
    return (answer as { body: unknown }).body;
  } catch (error) {
    throwIfAborted(signal);
    throw translated(error, method, path);
  }
}

/**
 * Rejects when the signal fires. Elasticsearch's client then ends the call by itself. OpenSearch's client would throw
 * an error that cannot be caught, so its call runs on and its answer is ignored.
 */
function unlessAborted<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    pending.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Translates an error of the clients, which has `statusCode` and `body` where the server answered at all. */
function translated(error: unknown, method: string, path: string): Error {
  const { statusCode, body, headers } = error as {
    statusCode?: number;
    body?: unknown;
    headers?: Record<string, string>;
  };
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
export function describe(body: unknown): { type: string; reason: string } {
  const error = (body as { error?: unknown } | undefined)?.error;
  if (typeof error !== 'object' || error === null) {
    const text = typeof error === 'string' ? error : typeof body === 'string' ? body : '';
    return { type: 'unknown', reason: firstLine(text) || 'no reason given' };
  }
  const {
    type,
    reason,
    root_cause: roots,
  } = error as {
    type?: string;
    reason?: string;
    root_cause?: readonly { type?: string; reason?: string }[];
  };
  const root = roots?.[0];
  return {
    type: root?.type ?? type ?? 'unknown',
    reason: firstLine(root?.reason ?? reason ?? '') || (type ?? 'no reason given'),
  };
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0].trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
