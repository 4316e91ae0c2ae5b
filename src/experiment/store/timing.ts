import { availableParallelism, cpus } from 'node:os';
import type { Device } from '../../bert/index.js';

/** The time that models took, and the machine: times of different machines are not added. */
export interface Timing {
  readonly seconds: number;
  readonly machine: string;
}

/** This machine in words, with the device that models run on where it is not the processor. */
export function describeMachine(device: Device | 'auto'): string {
  const cores = availableParallelism();
  const processor = `${cpus()[0]?.model.trim() ?? process.arch}, ${cores} ${cores === 1 ? 'thread' : 'threads'}`;
  return device === 'auto' || device === 'cpu' ? processor : `${device} (${processor})`;
}

/** The sum of times; undefined where one is unknown or comes from another machine. */
export function sumOfTimings(parts: readonly (Timing | undefined)[]): Timing | undefined {
  const [first] = parts;
  if (!first || parts.some((part) => part?.machine !== first.machine)) return undefined;
  return { machine: first.machine, seconds: parts.reduce((sum, part) => sum + part!.seconds, 0) };
}
