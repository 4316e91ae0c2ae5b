import { closedOnFailure } from '../../common/closing.js';
import { inputError, reasonOf } from '../../common/errors.js';
import { type CheckpointFile, checkpointOf, readStored, type StoredTensor } from './checkpoint-file.js';
import { elementBytes, elementCount } from './dtype.js';
import { PickleRefusal } from './pickle.js';
import { RandomAccessFile } from './random-access-file.js';
import { readStateDict, type TorchTensor } from './torch-state.js';
import { readZip, type ZipEntry } from './zip.js';

/** A limit on the pickle, which holds names and shapes only: the largest known are a few megabytes. */
const PICKLE_LIMIT = 1 << 27;

interface StridedTensor extends StoredTensor {
  /** The range of storage elements, from `offset` on, that contains the tensor's elements. */
  readonly span: number;
  /** Present if the elements are not in row-major order. */
  readonly strides?: readonly number[];
}

/**
 * Opens what `torch.save(model.state_dict())` writes since PyTorch 1.6: a zip archive of a pickle and of the
 * raw storages. The pickle is read as data (see `unpickle`): no code in it is ever run.
 */
export async function openPyTorch(path: string): Promise<CheckpointFile> {
  const file = await RandomAccessFile.open(path);
  return closedOnFailure(file, async () => {
    await refuseOtherContainers(file);
    const entries = await readZip(file);
    const root = findRoot(file, entries);
    await refuseBigEndian(file, entries.get(`${root}byteorder`));
    const tensors = new Map<string, StridedTensor>();
    for (const [name, tensor] of await readPickle(file, entries.get(`${root}data.pkl`)!)) {
      tensors.set(name, locate(file, name, tensor, entries.get(`${root}data/${tensor.storage.key}`)));
    }
    if (tensors.size === 0) throw file.corrupt('it holds no tensors');
    return checkpointOf('pytorch', path, tensors, readStrided, () => file.close());
  });
}

async function refuseOtherContainers(file: RandomAccessFile): Promise<void> {
  const head = Buffer.from(await file.read(0, Math.min(file.size, 4)));
  if (head.toString('latin1') === 'PK\x03\x04') return;
  if (head[0] === 0x80) {
    throw inputError(
      `${file.path}: saved in PyTorch's old format (before 1.6), which is not read; convert it: python -c ` +
        `"import torch; torch.save(torch.load('${file.path}', weights_only=True), '${file.path}')"`,
    );
  }
  throw file.corrupt('neither a PyTorch zip archive nor a pickle');
}

/** The one folder of all entries, named after the file when it was saved. */
function findRoot(file: RandomAccessFile, entries: ReadonlyMap<string, ZipEntry>): string {
  const pickles = [...entries.keys()].filter((name) => /^(?:[^/]*\/)?data\.pkl$/.test(name));
  if (pickles.length !== 1)
    throw file.corrupt(`expected one data.pkl in the archive, found ${pickles.length}`);
  const root = pickles[0].slice(0, -'data.pkl'.length);
  if ([...entries.keys()].some((name) => name.startsWith(`${root}code/`))) {
    throw inputError(
      `${file.path}: a TorchScript program, not weights; save model.state_dict() with torch.save instead`,
    );
  }
  return root;
}

async function refuseBigEndian(file: RandomAccessFile, entry: ZipEntry | undefined): Promise<void> {
  if (entry === undefined || entry.length > 16) return;
  const order = Buffer.from(await file.read(entry.offset, entry.length)).toString('latin1');
  if (order !== 'little') throw inputError(`${file.path}: its values are ${order}-endian`);
}

async function readPickle(file: RandomAccessFile, entry: ZipEntry): Promise<Map<string, TorchTensor>> {
  if (entry.length > PICKLE_LIMIT) throw file.corrupt(`its pickle takes ${entry.length} bytes`);
  const bytes = await file.read(entry.offset, entry.length);
  try {
    return readStateDict(bytes);
  } catch (error) {
    if (error instanceof PickleRefusal) {
      const text = `refused, nothing in it was run: ${error.message}`;
      throw inputError(`${file.path}: ${text}`, error);
    }
    if (error instanceof RangeError) throw file.corrupt(`its pickle is damaged (${reasonOf(error)})`);
    throw error;
  }
}

function locate(
  file: RandomAccessFile,
  name: string,
  tensor: TorchTensor,
  entry: ZipEntry | undefined,
): StridedTensor {
  const { storage, shape, strides } = tensor;
  const size = elementBytes(storage.dtype);
  if (entry === undefined) throw file.corrupt(`"${name}" lies in storage ${storage.key}, which is not there`);
  if (entry.length !== storage.elements * size) {
    const stated = `${storage.elements} elements of ${storage.dtype}`;
    throw file.corrupt(
      `"${name}": storage ${storage.key} should hold ${stated}, it has ${entry.length} bytes`,
    );
  }
  const count = elementCount(shape);
  const last = shape.reduce((sum, length, axis) => sum + (length - 1) * strides[axis], 0);
  const span = count === 0 ? 0 : last + 1;
  // A stride of zero repeats elements. No saved weight does that, but a forged shape of any size could.
  if (count === undefined || tensor.offset + span > storage.elements || count > storage.elements) {
    throw file.corrupt(`"${name}" of shape [${shape.join(', ')}] does not fit its storage`);
  }
  const place = {
    name,
    shape,
    dtype: storage.dtype,
    file,
    offset: entry.offset + tensor.offset * size,
    span,
  };
  return isRowMajor(shape, strides) ? place : { ...place, strides };
}

function isRowMajor(shape: readonly number[], strides: readonly number[]): boolean {
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] !== 1 && strides[axis] !== expected) return false;
    expected *= shape[axis];
  }
  return true;
}

async function readStrided(tensor: StridedTensor): Promise<Float32Array> {
  const { shape, strides, span } = tensor;
  if (strides === undefined) return readStored(tensor);
  const source = await readStored({ ...tensor, shape: [span] });
  const values = new Float32Array(elementCount(shape) ?? 0);
  const index = shape.map(() => 0);
  let from = 0;
  for (let i = 0; i < values.length; i++) {
    values[i] = source[from];
    // The next index in row-major order, and its position in the storage.
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= index[axis] * strides[axis];
      index[axis] = 0;
    }
  }
  return values;
}
