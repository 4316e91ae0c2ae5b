import { getPriority, setPriority } from 'node:os';

/** Steps, of the 40 that there are. */
const steps = 5;
const highest = -20;

/**
 * Runs something before what else is on the machine: what asks a server stands for other machines, and the time it
 * waits for a core here is none of the server's. Only a privileged user may; for others it runs as everything does.
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
