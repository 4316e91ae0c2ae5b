import { getPriority, setPriority } from 'node:os';

/** Steps, of the 40 that there are. */
const steps = 5;
const highest = -20;

/**
 * Runs something with a higher priority than other processes. The client of a server stands for other machines, so the
 * time that it waits for a core here must not count. Only a privileged user may raise the priority; for others it stays.
 */
export async function withPriority<T>(act: () => Promise<T>): Promise<{ result: T; hasPriority: boolean }> {
  const usual = getPriority();
  const hasPriority = trySetPriority(Math.max(highest, usual - steps));
  try {
    return { result: await act(), hasPriority };
  } finally {
    if (hasPriority) trySetPriority(usual);
  }
}

function trySetPriority(priority: number): boolean {
  try {
    setPriority(priority);
    return true;
  } catch {
    return false;
  }
}
