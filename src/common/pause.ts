import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfAborted } from './errors.js';

/** Waits; throws `aborted` when the signal fires first. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  await sleep(ms, undefined, signal && { signal }).catch(() => throwIfAborted(signal));
}
