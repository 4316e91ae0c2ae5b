import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** The nicest that Linux knows. */
const NICEST = 19;

/**
 * Makes the calling thread so many steps nicer to others, and with it every thread that it starts from now on. Only
 * Linux has a priority for each thread and tells a thread its number; elsewhere nothing changes.
 */
export function makeThreadNicer(steps: number): void {
  if (steps <= 0) return;
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.min(NICEST, getPriority(thread) + steps));
  } catch {
    // A matter of who goes first, not of what is computed.
  }
}
