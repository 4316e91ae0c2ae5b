import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Steps of niceness by which scoring steps back: about a third of the weight. */
const stepBack = 5;

/** The ids of this process's threads; none where the system does not tell. */
export function threadIds(): Set<number> {
  if (process.platform !== 'linux') return new Set();
  return new Set(readdirSync('/proc/self/task').map(Number));
}

/**
 * Lets the threads that have come up since give way to the main thread. Scoring takes all cores there are; without
 * this, the thread that reads and answers requests waits its turn behind it, and refusals that should take a
 * millisecond take fifty.
 */
export function giveWay(before: ReadonlySet<number>): void {
  for (const thread of threadIds()) {
    if (before.has(thread)) continue;
    try {
      // On Linux, priorities belong to threads.
      setPriority(thread, Math.min(19, getPriority(thread) + stepBack));
    } catch {
      // It has ended meanwhile, or the system does not allow it: then all threads stay alike.
    }
  }
}
