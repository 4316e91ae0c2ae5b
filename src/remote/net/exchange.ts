import { boundedText } from '../../common/bounded-text.js';
import { clip } from '../../common/clip.js';
import { BertQeError, reasonOf, throwIfAborted, usageError } from '../../common/errors.js';
import { parseRetryAfter, TransientFailure } from '../../common/retry.js';

/** A request, and how long and large its answer may be. */
export interface HttpRequest {
  readonly method: string;
  /** The URL without user and password, because messages quote it. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly timeoutMs: number;
  readonly answerBytes: number;
}

/** An answer of any status. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a request once. Where there is no whole answer in time, a {@link TransientFailure} is thrown. */
export async function exchange(request: HttpRequest, signal: AbortSignal | undefined): Promise<HttpAnswer> {
  const { method, url, headers, body, timeoutMs, answerBytes } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      // Compressing costs a server near by more than it saves.
      headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers },
      ...(body === undefined ? {} : { body }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const text = await boundedText(response, answerBytes, url);
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    throwIfAborted(signal);
    if (error instanceof BertQeError) throw error;
    const why = reasonOf((error as Error).cause ?? error);
    if (why === 'bad port') throw usageError(`${url}: fetch refuses this port; use another.`);
    const reason = timeout.aborted ? `no answer within ${timeoutMs} ms` : `the connection failed (${why})`;
    throw new TransientFailure(reason, { cause: error });
  }
}

/** The failure of a request that the server may answer otherwise soon. */
export function transient({ status, headers }: HttpAnswer, reason: string): TransientFailure {
  return new TransientFailure(`${status} ${reason}`, {
    overload: status === 429,
    retryAfterMs: parseRetryAfter(headers.get('retry-after')),
  });
}

/** A request that the server refuses for good: the `cause` of the error that is thrown. */
export interface Refusal {
  readonly status: number;
  /** A cluster's name for it, e.g. `index_not_found_exception`. */
  readonly type?: string;
}

/** The refusal that caused an error; undefined if the cause is another one. */
export function refusalOf(error: unknown): Refusal | undefined {
  const cause = error instanceof BertQeError ? (error.cause as Partial<Refusal> | undefined) : undefined;
  return typeof cause?.status === 'number' ? (cause as Refusal) : undefined;
}

/** The JSON of an answer. Proxies answer with pages for people while the server behind them is away. */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TransientFailure(`the answer is not JSON (${opening(text)})`, { cause });
  }
}

/** The beginning of an answer in one line, for messages. */
export function opening(text: string): string {
  return clip(text.replace(/\s+/g, ' ').trim(), 200) || '(nothing)';
}

/** The URL of a server; `example` is for the message. */
export function serverUrl(text: string, example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw usageError(`"${text}" is not the URL of a server; write ${example}.`);
}
