import { BertQeError, reasonOf, throwIfAborted } from '../../common/errors.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { Limiter } from './limiter.js';
import { defaultPatience, persist, retryAfterMs, Transient, type Patience } from './patience.js';

export interface ServiceOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests at a time (4). */
  readonly concurrency?: number;
  /** Milliseconds after which a request that is not answered counts as failed (60,000). */
  readonly timeoutMs?: number;
  readonly patience?: Partial<Patience>;
  /** (5 failures in a row, 5 s.) */
  readonly breaker?: CircuitBreaker;
}

/** Statuses that may pass; 424 is what TEI says when its model stumbled. */
const passing = new Set([408, 424, 425, 429, 500, 502, 503, 504]);

/** A JSON service on the network: a number of calls at a time, patience with failures, an end to patience too. */
export class HttpService {
  readonly url: URL;
  readonly #options: ServiceOptions;
  readonly #limiter: Limiter;
  readonly #breaker: CircuitBreaker;
  readonly #patience: Patience;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.url = checkedUrl(options.url);
    this.#limiter = new Limiter(options.concurrency ?? 4);
    this.#breaker = options.breaker ?? new CircuitBreaker();
    this.#patience = { ...defaultPatience, ...options.patience };
  }

  /** Without credentials and a last slash, for messages. */
  get address(): string {
    return `${this.url.protocol}//${this.url.host}${this.url.pathname.replace(/\/$/, '')}`;
  }

  get concurrency(): number {
    return this.#limiter.most;
  }

  /** Asks; `read` turns the answer into what is wanted, and throws where it has another shape. */
  async ask<T>(
    path: string,
    body: object | undefined,
    read: (answer: unknown) => T,
    signal?: AbortSignal,
  ): Promise<T> {
    const what = `${this.address}${path}`;
    return persist(what, this.#patience, signal, () =>
      this.#limiter.run(
        () => this.#breaker.run(async () => read(await this.#once(path, body, signal)), signal),
        signal,
      ),
    );
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
      text = await response.text();
    } catch (error) {
      throwIfAborted(signal);
      if (timeout.aborted) throw new Transient(`no answer within ${timeoutMs} ms`, { cause: error });
      throw new Transient(`the connection failed (${reasonOf((error as Error).cause ?? error)})`, {
        cause: error,
      });
    }
    if (response.ok) {
      try {
        return JSON.parse(text);
      } catch (cause) {
        throw new Transient(`the answer is not JSON (${opening(text)})`, { cause });
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
    if (passing.has(status)) {
      const wish = retryAfterMs(response.headers.get('retry-after'));
      const overload = status === 429;
      if (overload) this.#limiter.slowDown();
      return new Transient(`${status} ${said}`, {
        overload,
        ...(wish === undefined ? {} : { retryAfterMs: wish }),
      });
    }
    const hint = status === 401 || status === 403 ? ' Check the key (BERT_QE_SCORER_KEY).' : '';
    const code = status === 404 || status === 401 || status === 403 ? 'usage' : 'failure';
    return new BertQeError(code, `${this.address}${path}: ${status} ${said}.${hint}`, { cause: { status } });
  }
}

/** The status with which a service refused; undefined where it was something else. */
export function statusOf(error: unknown): number | undefined {
  const cause = error instanceof BertQeError ? (error.cause as { status?: unknown } | undefined) : undefined;
  return typeof cause?.status === 'number' ? cause.status : undefined;
}

function opening(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? '(nothing)' : line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function checkedUrl(text: string): URL {
  try {
    return new URL(text);
  } catch (cause) {
    throw new BertQeError('usage', `"${text}" is not a URL; write http://HOST:PORT.`, { cause });
  }
}
