import { missingError } from '../../common/errors.js';
import { elementBytes, elementCount, widen, type DType } from './dtype.js';
import type { RandomAccess } from './random-access.js';

export interface TensorInfo {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: DType;
}

/** An open checkpoint of one or several files. Tensors are read one at a time. */
export interface CheckpointFile {
  /** The file, the shards' index, or TensorFlow's prefix. */
  readonly path: string;
  readonly format: 'safetensors' | 'pytorch' | 'tensorflow';
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  /** The tensor's values widened (or rounded) to float32. */
  read(name: string): Promise<Float32Array>;
  close(): Promise<void>;
}

/** A checkpoint whose tensors a format's reader has already found and checked. */
export function checkpointOf<T extends TensorInfo>(
  format: CheckpointFile['format'],
  path: string,
  stored: ReadonlyMap<string, T>,
  readTensor: (tensor: T) => Promise<Float32Array>,
  close: () => Promise<void>,
): CheckpointFile {
  return {
    format,
    path,
    tensors: stored,
    async read(name) {
      const tensor = stored.get(name);
      if (tensor === undefined) throw missingError(`${path}: holds no tensor "${name}"`);
      return readTensor(tensor);
    },
    close,
  };
}

/** A named run of bytes in a file. */
export interface Extent {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

/** A tensor and the extent of its row-major values. */
export interface StoredTensor extends TensorInfo {
  readonly file: RandomAccess;
  readonly offset: number;
}

/** The reason why a file of `size` bytes cannot hold these extents; undefined when it can. */
export function layoutProblem(extents: readonly Extent[], size: number): string | undefined {
  const ordered = extents.filter(({ length }) => length > 0).sort((x, y) => x.offset - y.offset);
  let previous: Extent | undefined;
  for (const extent of ordered) {
    const end = extent.offset + extent.length;
    if (extent.offset < 0 || end > size) {
      return `"${extent.name}" should lie at bytes ${extent.offset}–${end}, the file ends at ${size} (truncated?)`;
    }
    if (previous !== undefined && previous.offset + previous.length > extent.offset) {
      return `"${previous.name}" and "${extent.name}" overlap`;
    }
    previous = extent;
  }
  return undefined;
}

/** The size of a tensor in bytes; undefined for an impossible shape. */
export function byteLength(shape: readonly number[], dtype: DType): number | undefined {
  const count = elementCount(shape);
  return count === undefined ? undefined : count * elementBytes(dtype);
}

/** Bytes converted at a time, so that a half-precision table is not held twice. */
const CHUNK = 1 << 22;

/** Reads a row-major tensor as float32. */
export async function readStored(tensor: StoredTensor): Promise<Float32Array> {
  const values = new Float32Array(elementCount(tensor.shape) ?? 0);
  if (tensor.dtype === 'float32') {
    await tensor.file.readInto(new Uint8Array(values.buffer), tensor.offset);
    return values;
  }
  const size = elementBytes(tensor.dtype);
  const total = values.length * size;
  for (let done = 0; done < total; done += CHUNK) {
    const bytes = await tensor.file.read(tensor.offset + done, Math.min(CHUNK, total - done));
    widen(bytes, tensor.dtype, values, done / size);
  }
  return values;
}
