import { BertQeError } from '../../common/errors.js';
import { isTransientStatus, retry, type RetryPolicy } from '../../common/retry.js';
import {
  exchange,
  opening,
  parseAnswer,
  serverUrl,
  transient,
  type HttpAnswer,
  type Refusal,
} from './exchange.js';
import { type CircuitOptions, Limiter } from '../../common/limiter.js';

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
  readonly #limiter: Limiter;

  constructor(private readonly options: ServiceOptions) {
    this.url = serverUrl(options.url, 'http://HOST:PORT');
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
      policy: this.options.retry ?? {},
      signal,
    });
  }

  async #once(path: string, body: object | undefined, signal: AbortSignal | undefined): Promise<unknown> {
    const { timeoutMs = 60_000, headers = {} } = this.options;
    const request = {
      method: body ? 'POST' : 'GET',
      url: `${this.address}${path}`,
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      body: body && JSON.stringify(body),
      timeoutMs,
      answerBytes: ANSWER_BYTES,
    };
    const answer = await exchange(request, signal);
    if (answer.status >= 200 && answer.status < 300) return parseAnswer(answer.text);
    throw this.#refused(path, answer);
  }

  #refused(path: string, answer: HttpAnswer): Error {
    const { status } = answer;
    const said = opening(answer.text);
    if (status === 429) this.#limiter.slowDown();
    if (isTransientStatus(status) || status === MODEL_FAILED) return transient(answer, said);
    const hint = status === 401 || status === 403 ? ' Check the key (BERT_QE_SCORER_KEY).' : '';
    const code = hint !== '' || status === 404 ? 'usage' : 'failure';
    const cause: Refusal = { status };
    return new BertQeError(code, `${this.address}${path}: ${status} ${said}.${hint}`, { cause });
  }
}

/** The most bytes of an answer: scores of a batch take kilobytes. */
const ANSWER_BYTES = 64 * 1024 * 1024;
