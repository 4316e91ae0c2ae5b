import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { closing } from '../../common/closing.js';
import { RandomAccessFile } from '../checkpoint/index.js';
import { runtimeFolder } from './runtime-package.js';

/** The libraries that onnxruntime loads for CUDA from the folder of its own. */
export const CUDA_FILES = ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so'] as const;

/** The provider libraries that are missing beside the runtime's own. */
export function missingCudaFiles(folder = runtimeFolder()): string[] {
  return CUDA_FILES.filter((name) => !existsSync(join(folder, name)));
}

/** Numbers of the ELF format. */
const LOADED = 1;
const DYNAMIC = 2;
const NEEDED = 1;
const STRING_TABLE = 5;

/** The libraries that a 64-bit ELF library needs. */
export async function neededLibraries(path: string): Promise<string[]> {
  return closing(RandomAccessFile.open(path), async (file) => {
    const view = async (offset: number, length: number) =>
      new DataView((await file.read(offset, length)).buffer);
    const header = await view(0, 64);
    if (header.getUint32(0) !== 0x7f454c46 || header.getUint8(4) !== 2) {
      throw file.corrupt('it is not a 64-bit ELF library');
    }
    const [size, count] = [header.getUint16(54, true), header.getUint16(56, true)];
    const table = await view(number(header, 32), size * count);
    const segments = Array.from({ length: count }, (_, i) => ({
      type: table.getUint32(i * size, true),
      offset: number(table, i * size + 8),
      address: number(table, i * size + 16),
      length: number(table, i * size + 32),
    }));
    const dynamic = segments.find(({ type }) => type === DYNAMIC);
    if (!dynamic) return [];
    const data = await view(dynamic.offset, dynamic.length);
    const entries = Array.from({ length: dynamic.length / 16 }, (_, i) => ({
      tag: number(data, 16 * i),
      value: number(data, 16 * i + 8),
    }));
    const strings = entries.find(({ tag }) => tag === STRING_TABLE)?.value ?? 0;
    const segment = segments.find(
      ({ type, address, length }) => type === LOADED && strings >= address && strings < address + length,
    );
    if (!segment) throw file.corrupt('its table of names is not where it should be');
    const start = segment.offset + strings - segment.address;
    const names: string[] = [];
    for (const { tag, value } of entries) {
      if (tag !== NEEDED) continue;
      const bytes = await file.read(start + value, Math.min(LONGEST_NAME, file.size - start - value));
      names.push(Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString('latin1'));
    }
    return names;
  });
}

const LONGEST_NAME = 256;

function number(view: DataView, offset: number): number {
  return Number(view.getBigUint64(offset, true));
}
