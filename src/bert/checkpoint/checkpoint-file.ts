import { missingError } from '../../common/errors.js';
import type { Checkpoint, TensorInfo } from '../types.js';

export type CheckpointFormat = 'safetensors' | 'pytorch' | 'tensorflow';

/** An open checkpoint and its origin. */
export interface CheckpointFile extends Checkpoint {
  /** The file, the shards' index, or TensorFlow's prefix. */
  readonly path: string;
  readonly format: CheckpointFormat;
}

/** A checkpoint whose tensors a format's reader has already found and checked. */
export function checkpointOf<T extends TensorInfo>(
  format: CheckpointFormat,
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
