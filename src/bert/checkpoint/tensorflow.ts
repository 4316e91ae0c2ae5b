import { closedOnFailure } from '../../common/closing.js';
import { corruptError, inputError, reasonOf } from '../../common/errors.js';
import {
  byteLength,
  type CheckpointFile,
  checkpointOf,
  layoutProblem,
  type StoredTensor,
} from './checkpoint-file.js';
import { maskedCrc32c } from './crc32c.js';
import { dtypeNamed, elementBytes, widen } from './dtype.js';
import { RandomAccessFile } from './random-access-file.js';
import { readTable } from './sstable.js';
import { type BundleEntry, parseBundleEntry, parseBundleHeader, TENSORFLOW_STRING } from './tensor-bundle.js';

interface BundledTensor extends StoredTensor {
  readonly length: number;
  readonly checksum: number;
}

/** The key of TensorFlow 2's object graph, whose tensors are named by Python attributes, not by variables. */
const OBJECT_GRAPH = '_CHECKPOINTABLE_OBJECT_GRAPH';

/**
 * Opens a TensorFlow checkpoint (a "tensor bundle", the form of Google's and the authors' releases) by its
 * prefix: `PREFIX.index` is a table of entries, `PREFIX.data-0000x-of-0000y` hold the values.
 */
export async function openTensorFlow(prefix: string): Promise<CheckpointFile> {
  const { shards: shardCount, entries } = await readIndex(`${prefix}.index`);
  const shards: RandomAccessFile[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(shards.map((shard) => shard.close()));
  };
  return closedOnFailure({ close }, async () => {
    for (let shard = 0; shard < shardCount; shard++) {
      const suffix = `${pad(shard)}-of-${pad(shardCount)}`;
      shards.push(await RandomAccessFile.open(`${prefix}.data-${suffix}`));
    }
    const tensors = place(prefix, entries, shards);
    return checkpointOf('tensorflow', prefix, tensors, readChecked, close);
  });
}

async function readIndex(path: string): Promise<{ shards: number; entries: Map<string, BundleEntry> }> {
  const file = await RandomAccessFile.open(path);
  try {
    const table = await readTable(file);
    const headerBytes = table.get('');
    if (headerBytes === undefined) throw file.corrupt('the index has no header');
    const header = parseBundleHeader(headerBytes);
    if (header.bigEndian) throw inputError(`${path}: its values are big-endian`);
    if (header.shards < 1 || header.shards > 99_999)
      throw file.corrupt(`it claims ${header.shards} data files`);
    table.delete('');
    if (table.has(OBJECT_GRAPH)) {
      throw inputError(
        `${path}: a TensorFlow 2 object checkpoint, whose tensors have no variable names; save it as ` +
          'safetensors (transformers: model.save_pretrained) or with tf.compat.v1.train.Saver',
      );
    }
    const entries = new Map([...table].map(([name, bytes]) => [name, parseBundleEntry(bytes)]));
    return { shards: header.shards, entries };
  } catch (error) {
    if (error instanceof RangeError) throw file.corrupt(`the index is damaged (${reasonOf(error)})`);
    throw error;
  } finally {
    await file.close();
  }
}

function place(
  prefix: string,
  entries: ReadonlyMap<string, BundleEntry>,
  shards: readonly RandomAccessFile[],
): Map<string, BundledTensor> {
  const tensors = new Map<string, BundledTensor>();
  for (const [name, entry] of entries) {
    if (entry.type === TENSORFLOW_STRING) continue;
    const dtype = dtypeNamed('tensorflow', entry.type);
    const file = shards[entry.shard];
    if (dtype === undefined || entry.sliced) {
      const reason = entry.sliced ? 'is partitioned' : `has TensorFlow type ${entry.type}`;
      throw inputError(`${prefix}: "${name}" ${reason}, which is not read; convert the model`);
    }
    if (file === undefined) {
      throw corruptError(`${prefix}: "${name}" lies in data file ${entry.shard} of ${shards.length}`);
    }
    if (byteLength(entry.shape, dtype) !== entry.length) {
      const text = `"${name}" of shape [${entry.shape.join(', ')}] and type ${dtype}`;
      throw file.corrupt(`${text} cannot take ${entry.length} bytes`);
    }
    const { shape, offset, length, checksum } = entry;
    tensors.set(name, { name, dtype, shape, file, offset, length, checksum });
  }
  if (tensors.size === 0) throw corruptError(`${prefix}: the checkpoint holds no tensors`);
  for (const file of shards) {
    const held = [...tensors.values()].filter((tensor) => tensor.file === file);
    const problem = layoutProblem(held, file.size);
    if (problem !== undefined) throw file.corrupt(problem);
  }
  return tensors;
}

async function readChecked(tensor: BundledTensor): Promise<Float32Array> {
  const { file, name, dtype, offset, length, checksum } = tensor;
  const bytes = await file.read(offset, length);
  if (maskedCrc32c(bytes) !== checksum) throw file.corrupt(`the checksum of "${name}" is wrong`);
  if (dtype === 'float32') return new Float32Array(bytes.buffer);
  const values = new Float32Array(length / elementBytes(dtype));
  widen(bytes, dtype, values);
  return values;
}

function pad(shard: number): string {
  return String(shard).padStart(5, '0');
}
