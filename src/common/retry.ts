import { failureError, reasonOf, throwIfAborted } from './errors.js';
import { pause } from './pause.js';

/** The number of attempts and the pauses between them. */
export interface RetryPolicy {
  /** Attempts in all (10). */
  readonly attempts: number;
  /** Upper limit of the first pause, doubled with every further failure (200). */
  readonly firstPauseMs: number;
  /** Upper limit of every pause (15,000), on top of what the server asks for with Retry-After. */
  readonly longestPauseMs: number;
}

const defaultRetryPolicy: RetryPolicy = { attempts: 10, firstPauseMs: 200, longestPauseMs: 15_000 };

/** A server that asks for a longer pause is not waited for. */
const LONGEST_RETRY_AFTER_MS = 5 * 60_000;

/** A failure that is worth another attempt: a dropped connection, an overloaded or restarting server. */
export class TransientFailure extends Error {
  /** Milliseconds that the server asked to be left alone. */
  readonly retryAfterMs: number | undefined;
  /** True where the server said that it has too much to do. */
  readonly overload: boolean;
  /** True where the attempt brought a part of what was wanted: failures are then counted anew. */
  readonly progressed: boolean;

  constructor(
    message: string,
    options: {
      cause?: unknown;
      retryAfterMs?: number | undefined;
      overload?: boolean;
      progressed?: boolean;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
    this.overload = options.overload ?? false;
    this.progressed = options.progressed ?? false;
  }
}

interface RetryOptions {
  /** The subject of the final error message: an address, a file. */
  readonly what: string;
  readonly policy?: Partial<RetryPolicy>;
  readonly signal?: AbortSignal | undefined;
  /** The advice of the final error message. */
  readonly advice?: string;
}

/**
 * Repeats an action until it succeeds, fails for good or has failed too often in a row. Only {@link TransientFailure}s
 * are repeated. The last one becomes the cause of the final error.
 */
export async function retry<T>(action: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { what, signal, advice = 'try again later.' } = options;
  const { attempts, firstPauseMs, longestPauseMs } = { ...defaultRetryPolicy, ...options.policy };
  for (let failed = 0; ;) {
    throwIfAborted(signal);
    try {
      return await action();
    } catch (error) {
      throwIfAborted(signal);
      if (!(error instanceof TransientFailure)) throw error;
      failed = error.progressed ? 1 : failed + 1;
      const { retryAfterMs = 0 } = error;
      if (failed >= attempts || retryAfterMs > LONGEST_RETRY_AFTER_MS) {
        const times = failed === 1 ? '' : ` (${failed} times)`;
        throw failureError(`${what}: ${reasonOf(error)}${times}; ${advice}`, error);
      }
      // Full jitter: clients that failed together do not return together.
      const backoff = Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (failed - 1));
      await pause(retryAfterMs + backoff, signal);
    }
  }
}

/** True for statuses of a server or proxy that may answer otherwise soon. */
export function isTransientStatus(status: number): boolean {
  return [408, 425, 429, 500].includes(status) || (status > 501 && status !== 505);
}

/** Milliseconds of a Retry-After header, which gives seconds or a date; undefined where there is no such header. */
export function parseRetryAfter(header: string | null | undefined, now = Date.now()): number | undefined {
  if (header == null) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return 1000 * Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
