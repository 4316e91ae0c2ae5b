import { readFileSync } from 'node:fs';

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
