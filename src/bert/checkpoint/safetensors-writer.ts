import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { usageError } from '../../common/errors.js';
import { writeFileAtomic } from '../../common/atomic.js';
import { byteLength } from './checkpoint-file.js';
import { elementCount, narrowToHalf, safetensorsName } from './dtype.js';

/** A tensor to write. If its values are a function, it is called just before they are written. */
export interface TensorToWrite {
  readonly name: string;
  readonly shape: readonly number[];
  /** Bytes are written as they are, floats in the type of the file. */
  readonly values: Float32Array | Int8Array | (() => Float32Array | Promise<Float32Array>);
}

interface WriteSafetensorsOptions {
  /** Default `float32`; `float16` rounds to nearest and refuses values that half precision cannot hold. */
  readonly dtype?: 'float32' | 'float16';
  /** Entries of `__metadata__`, beside `format: pt`, which Hugging Face's loader requires. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Writes a safetensors file atomically, tensors in the order given; compressed, if its name ends with `.gz`. */
export async function writeSafetensors(
  path: string,
  tensors: Iterable<TensorToWrite>,
  options: WriteSafetensorsOptions = {},
): Promise<void> {
  const dtype = options.dtype ?? 'float32';
  const list = [...tensors];
  const header = headerBytes(path, list, dtype, options.metadata);
  const content = pieces(path, header, list, dtype);
  await writeFileAtomic(path, path.endsWith('.gz') ? compressed(content) : content);
}

function compressed(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  // A failure reaches whoever reads the result.
  return pipeline(Readable.from(content), createGzip({ level: 9 }), () => {});
}

function headerBytes(
  path: string,
  tensors: readonly TensorToWrite[],
  dtype: 'float32' | 'float16',
  metadata: Readonly<Record<string, string>> | undefined,
): Uint8Array {
  const entries: [string, unknown][] = [['__metadata__', { format: 'pt', ...metadata }]];
  const names = new Set<string>(['__metadata__']);
  let offset = 0;
  for (const { name, shape, values } of tensors) {
    const own = values instanceof Int8Array ? 'int8' : dtype;
    const length = byteLength(shape, own);
    if (length === undefined || names.has(name)) {
      const reason = length === undefined ? `has shape [${shape.join(', ')}]` : 'is given twice';
      throw usageError(`${path}: cannot be written: tensor "${name}" ${reason}`);
    }
    names.add(name);
    entries.push([name, { dtype: safetensorsName(own), shape, data_offsets: [offset, offset + length] }]);
    offset += length;
  }
  const json = Buffer.from(JSON.stringify(Object.fromEntries(entries)), 'utf8');
  // Padded with spaces so that the values start on a multiple of eight and can be memory-mapped.
  const bytes = Buffer.alloc(8 + Math.ceil(json.length / 8) * 8, ' ');
  bytes.writeBigUInt64LE(BigInt(bytes.length - 8), 0);
  json.copy(bytes, 8);
  return bytes;
}

async function* pieces(
  path: string,
  header: Uint8Array,
  tensors: readonly TensorToWrite[],
  dtype: 'float32' | 'float16',
): AsyncGenerator<Uint8Array> {
  yield header;
  for (const { name, shape, values: given } of tensors) {
    const values = typeof given === 'function' ? await given() : given;
    if (values.length !== elementCount(shape)) {
      const text = `tensor "${name}" has ${values.length} values, its shape [${shape.join(', ')}] says otherwise`;
      throw usageError(`${path}: cannot be written: ${text}`);
    }
    const isNarrowed = dtype === 'float16' && values instanceof Float32Array;
    const stored = isNarrowed ? narrowToHalf(values) : values;
    if (isNarrowed) refuseOverflow(path, name, values, stored as Uint16Array);
    yield new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength);
  }
}

function refuseOverflow(path: string, name: string, values: Float32Array, halves: Uint16Array): void {
  const at = halves.findIndex((bits, i) => (bits & 0x7fff) === 0x7c00 && Number.isFinite(values[i]));
  if (at === -1) return;
  throw usageError(
    `${path}: tensor "${name}" holds ${values[at]}, beyond float16's 65504; write float32 instead`,
  );
}
