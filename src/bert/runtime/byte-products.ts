import { readFileSync } from 'node:fs';

/**
 * Whether products of unsigned and signed bytes may overflow: x86 processors without VNNI instructions add them
 * up in 16 bits. onnxruntime has a slower way around it that must not be taken where it is not needed.
 */
export function bytesMayOverflow(): boolean {
  return process.arch === 'x64' && !/vnni/.test(processorFlags());
}

/** What the kernel says the processor can do; empty where it does not tell, which is taken as: nothing. */
function processorFlags(): string {
  try {
    return /^flags\s*:.*$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[0] ?? '';
  } catch {
    return '';
  }
}
