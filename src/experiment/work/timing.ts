import { availableParallelism, cpus } from 'node:os';
import type { Device } from '../../bert/index.js';

/** How long models took, and where: seconds of different machines do not add up. */
export interface Timing {
  readonly seconds: number;
  readonly machine: string;
}

/** This machine in words, and the device that models run on where it is not the processor. */
export function machineWith(device: Device | 'auto'): string {
  const cores = availableParallelism();
  const processor = `${cpus()[0]?.model.trim() ?? process.arch}, ${cores} ${cores === 1 ? 'thread' : 'threads'}`;
  return device === 'auto' || device === 'cpu' ? processor : `${device} (${processor})`;
}

/** The sum; nothing where a part was not measured, or was on another machine. */
export function sumOfTimings(parts: readonly (Timing | undefined)[]): Timing | undefined {
  const [first] = parts;
  if (!first || parts.some((part) => part?.machine !== first.machine)) return undefined;
  return { machine: first.machine, seconds: parts.reduce((sum, part) => sum + part!.seconds, 0) };
}
