import { setTimeout as sleep } from 'node:timers/promises';
import { BertQeError, reasonOf, throwIfAborted } from '../../common/errors.js';

/** How failures that may pass are met. */
export interface Patience {
  /** Tries in all (10). */
  readonly attempts: number;
  /** The first pause, doubled with every further failure (200). */
  readonly firstPauseMs: number;
  /** (15,000.) A server that asks for more with Retry-After gets more. */
  readonly longestPauseMs: number;
}

export const defaultPatience: Patience = { attempts: 10, firstPauseMs: 200, longestPauseMs: 15_000 };

/** A server that asks for a longer pause than this is not waited for. */
const longestWishMs = 5 * 60_000;

/** A failure that may pass: a dropped connection, an overloaded or restarting server. */
export class Transient extends Error {
  /** How long the server asked to be left alone. */
  readonly retryAfterMs: number | undefined;
  /** Whether the server said that there is too much to do. */
  readonly overload: boolean;

  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number; overload?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
    this.overload = options.overload ?? false;
  }
}

/** Repeats an action over transient failures; pauses grow and are spread, so that clients do not return in step. */
export async function persist<T>(
  what: string,
  { attempts, firstPauseMs, longestPauseMs }: Patience,
  signal: AbortSignal | undefined,
  action: () => Promise<T>,
): Promise<T> {
  for (let failed = 1; ; failed++) {
    throwIfAborted(signal);
    try {
      return await action();
    } catch (error) {
      throwIfAborted(signal);
      if (!(error instanceof Transient)) throw error;
      const asked = error.retryAfterMs ?? 0;
      if (failed >= attempts || asked > longestWishMs) {
        const tries = failed === 1 ? '' : ` (${failed} tries)`;
        throw new BertQeError('failure', `${what}: ${reasonOf(error)}${tries}; try again later.`, {
          cause: error,
        });
      }
      // "Full jitter": anywhere between nothing and the doubled pause.
      const pause = Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (failed - 1));
      await sleep(asked + pause, undefined, signal && { signal }).catch(() => throwIfAborted(signal));
    }
  }
}

/** A Retry-After header: seconds, or a date. */
export function retryAfterMs(header: string | null | undefined, now = Date.now()): number | undefined {
  if (header == null) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return 1000 * Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
