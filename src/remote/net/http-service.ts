import { clip } from '../../common/clip.js';
import { BertQeError, reasonOf, throwIfAborted } from '../../common/errors.js';
import {
  isTransientStatus,
  parseRetryAfter,
  retry,
  type RetryPolicy,
  TransientFailure,
} from '../../common/retry.js';
import { type CircuitOptions, Limiter } from './limiter.js';

export interface ServiceOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests at a time (4). */
  readonly concurrency?: number;
  /** Milliseconds after which a request that is not answered counts as failed (60,000). */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  /** (5 failures in a row, 5 s.) */
  readonly circuit?: CircuitOptions;
}

/** The status of a TEI server whose model failed. */
const MODEL_FAILED = 424;

/** A JSON service on the network. Calls at once are limited, and repeated after transient failures. */
export class HttpService {
  readonly url: URL;
  readonly #options: ServiceOptions;
  readonly #limiter: Limiter;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.url = checkedUrl(options.url);
    this.#limiter = new Limiter(options.concurrency ?? 4, options.circuit ?? { failures: 5, pauseMs: 5000 });
  }

  /** The URL without credentials and trailing slash, for messages. */
  get address(): string {
    return `${this.url.protocol}//${this.url.host}${this.url.pathname.replace(/\/$/, '')}`;
  }

  get concurrency(): number {
    return this.#limiter.most;
  }

  /** Sends a request and returns what `read` makes of the answer; `read` throws where that has another shape. */
  async ask<T>(
    path: string,
    body: object | undefined,
    read: (answer: unknown) => T,
    signal?: AbortSignal,
  ): Promise<T> {
    const once = async (): Promise<T> => read(await this.#once(path, body, signal));
    return retry(() => this.#limiter.run(once, signal), {
      what: `${this.address}${path}`,
      policy: this.#options.retry ?? {},
      signal,
    });
  }

  async #once(path: string, body: object | undefined, signal: AbortSignal | undefined): Promise<unknown> {
    const { timeoutMs = 60_000, headers = {} } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.#target(path), {
        method: body ? 'POST' : 'GET',
        headers: {
          accept: 'application/json',
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      text = await textOf(response);
    } catch (error) {
      throwIfAborted(signal);
      if (error instanceof BertQeError)
        throw new BertQeError(error.code, `${this.address}${path}: ${error.message}`);
      if (timeout.aborted) throw new TransientFailure(`no answer within ${timeoutMs} ms`, { cause: error });
      throw new TransientFailure(`the connection failed (${reasonOf((error as Error).cause ?? error)})`, {
        cause: error,
      });
    }
    if (response.ok) {
      try {
        return JSON.parse(text);
      } catch (cause) {
        throw new TransientFailure(`the answer is not JSON (${opening(text)})`, { cause });
      }
    }
    throw this.#refused(path, response, text);
  }

  #target(path: string): string {
    const base = new URL(this.url);
    base.username = '';
    base.password = '';
    base.search = '';
    base.hash = '';
    base.pathname = `${base.pathname.replace(/\/$/, '')}${path}`;
    return base.href;
  }

  #refused(path: string, response: Response, text: string): Error {
    const { status } = response;
    const said = opening(text);
    if (isTransientStatus(status) || status === MODEL_FAILED) {
      const overload = status === 429;
      if (overload) this.#limiter.slowDown();
      return new TransientFailure(`${status} ${said}`, {
        overload,
        retryAfterMs: parseRetryAfter(response.headers.get('retry-after')),
      });
    }
    const hint = status === 401 || status === 403 ? ' Check the key (BERT_QE_SCORER_KEY).' : '';
    const code = status === 404 || status === 401 || status === 403 ? 'usage' : 'failure';
    return new BertQeError(code, `${this.address}${path}: ${status} ${said}.${hint}`, { cause: { status } });
  }
}

/** The status of an answer that refused a request; undefined for every other error. */
export function statusOf(error: unknown): number | undefined {
  const cause = error instanceof BertQeError ? (error.cause as { status?: unknown } | undefined) : undefined;
  return typeof cause?.status === 'number' ? cause.status : undefined;
}

/** The most bytes of an answer: scores of a batch take kilobytes. */
const ANSWER_BYTES = 64 * 1024 * 1024;

/** The text of an answer, which may be endless. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES) {
      throw new BertQeError(
        'failure',
        `the answer is longer than ${ANSWER_BYTES} bytes; is it such a server?`,
      );
    }
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function opening(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return clip(line, 200) || '(nothing)';
}

function checkedUrl(text: string): URL {
  try {
    return new URL(text);
  } catch (cause) {
    throw new BertQeError('usage', `"${text}" is not a URL; write http://HOST:PORT.`, { cause });
  }
}
