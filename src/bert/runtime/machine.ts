import { availableParallelism, totalmem } from 'node:os';

/** The resources of the machine, or of the container. */
export interface Machine {
  readonly cores: number;
  readonly memory: number;
  /** GPUs that are used together (1). */
  readonly cards?: number;
}

export function thisMachine(): Machine {
  // Without a limit this is 0, or more than any memory.
  const limit = process.constrainedMemory() || Infinity;
  return { cores: availableParallelism(), memory: Math.min(totalmem(), limit) };
}
