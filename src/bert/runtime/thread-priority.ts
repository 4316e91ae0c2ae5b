import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** The highest niceness of Linux. */
const NICEST = 19;

/**
 * Raises the niceness of the calling thread, and with it that of every thread it starts from now on. Only Linux has a
 * priority and a number for each thread; elsewhere nothing changes.
 */
export function makeThreadNicer(steps: number): void {
  if (steps <= 0) return;
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.min(NICEST, getPriority(thread) + steps));
  } catch {
    // Priorities change nothing in the results.
  }
}
