import { setTimeout as sleep } from 'node:timers/promises';
import { BertQeError, reasonOf, throwIfAborted } from '../../common/errors.js';
import type { HubSettings } from './settings.js';

/** A server that asks for more patience than this is not waited for. */
const LONGEST_PAUSE_MS = 5 * 60_000;

/** A failure that may pass: a dropped connection, an overloaded server. */
export class TransientFailure extends Error {
  constructor(
    message: string,
    readonly options: {
      readonly cause?: unknown;
      /** How long the server asked us to wait. */
      readonly retryAfterMs?: number;
      /** Whether the attempt brought anything: then the count of fruitless attempts starts again. */
      readonly progressed?: boolean;
    } = {},
  ) {
    super(message, { cause: options.cause });
  }
}

/** Repeats an action over transient failures, with growing pauses or the server's own wish. */
export async function withRetries<T>(
  what: string,
  settings: Pick<HubSettings, 'attempts' | 'backoffMs'>,
  signal: AbortSignal | undefined,
  action: () => Promise<T>,
): Promise<T> {
  for (let failed = 0; ;) {
    throwIfAborted(signal);
    try {
      return await action();
    } catch (error) {
      throwIfAborted(signal);
      if (!(error instanceof TransientFailure)) throw error;
      failed = error.options.progressed === true ? 1 : failed + 1;
      const pause = error.options.retryAfterMs ?? backoff(settings.backoffMs, failed);
      if (failed >= settings.attempts || pause > LONGEST_PAUSE_MS) {
        const tries = failed === 1 ? '' : ` (${failed} times)`;
        throw new BertQeError(
          'failure',
          `${what}: ${reasonOf(error)}${tries}; try again later, what has arrived is kept`,
          { cause: error },
        );
      }
      await sleep(pause, undefined, signal && { signal }).catch(() => throwIfAborted(signal));
    }
  }
}

/** Doubled each time up to half a minute, and spread so that clients do not come back all at once. */
function backoff(first: number, failed: number): number {
  return Math.min(30_000, first * 2 ** (failed - 1)) * (0.75 + Math.random() / 2);
}

/** A Retry-After header: seconds, or a date. */
export function parseRetryAfter(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return 1000 * Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
