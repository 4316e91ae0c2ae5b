import { readFileSync, readlinkSync } from 'node:fs';
import { availableParallelism, getPriority, setPriority, totalmem } from 'node:os';
import { basename } from 'node:path';

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

/**
 * True where the processor has instructions for sums of products of bytes, with which int8 is twice as fast as fp32:
 * VNNI of x86, dot products of ARM. Linux lists them, and every Mac with an ARM processor has them. Elsewhere, where
 * nothing tells, it is false: int8 is then used only where it is asked for.
 */
export function multipliesBytes(): boolean {
  if (process.platform === 'darwin') return process.arch === 'arm64';
  return /vnni|asimddp/.test(processorFlags());
}

/**
 * True if products of unsigned and signed bytes may overflow: x86 processors without VNNI instructions add them up in
 * 16 bits. onnxruntime has a slower way around it, which is taken only if necessary.
 */
export function bytesMayOverflow(): boolean {
  return process.arch === 'x64' && !multipliesBytes();
}

/** The processor's features according to Linux; empty elsewhere. */
function processorFlags(): string {
  try {
    return /^(?:flags|Features)\s*:.*$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[0] ?? '';
  } catch {
    return '';
  }
}

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
