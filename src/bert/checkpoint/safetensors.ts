import { closedOnFailure } from '../../common/closing.js';
import { inputError } from '../../common/errors.js';
import { isJsonObject } from '../../common/json.js';
import { duplicateKey, parseJsonObject } from '../json.js';
import {
  byteLength,
  type CheckpointFile,
  checkpointOf,
  layoutProblem,
  readStored,
  type StoredTensor,
  type TensorInfo,
} from './checkpoint-file.js';
import { dtypeNamed, dtypes, safetensorsName } from './dtype.js';
import type { RandomAccess } from './random-access.js';

/** The reference implementation's limit on the JSON header. */
const HEADER_LIMIT = 100_000_000;

/**
 * Reads the header of a safetensors file: 8 bytes of header length, a JSON header of dtype, shape and offsets, then the
 * values, packed without holes. The header is accepted only if it accounts for every byte of the file.
 */
export async function readSafetensors(file: RandomAccess): Promise<CheckpointFile> {
  const stored = await closedOnFailure(file, readHeader);
  return checkpointOf('safetensors', file.path, stored, readStored, () => file.close());
}

async function readHeader(file: RandomAccess): Promise<Map<string, StoredTensor>> {
  if (file.size < 8) throw file.corrupt(`only ${file.size} bytes, too short for safetensors`);
  const prefix = await file.read(0, 8);
  const headerLength = Number(new DataView(prefix.buffer).getBigUint64(0, true));
  if (headerLength > HEADER_LIMIT) {
    throw file.corrupt(`not a safetensors file: it claims a header of ${headerLength} bytes`);
  }
  if (headerLength + 8 > file.size) {
    throw file.corrupt(`the header takes ${headerLength} bytes but the file has ${file.size}: truncated`);
  }
  const text = new TextDecoder().decode(await file.read(8, headerLength));
  const header = parseJsonObject(text, `${file.path} (header)`);
  const twice = duplicateKey(text);
  if (twice !== undefined) throw file.corrupt(`the header states "${twice}" twice`);

  const start = 8 + headerLength;
  const stored = new Map<string, StoredTensor>();
  const extents: { name: string; offset: number; length: number }[] = [];
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const { dtype, shape, begin, end } = readEntry(file, name, entry);
    stored.set(name, { name, dtype, shape, file, offset: start + begin });
    extents.push({ name, offset: start + begin, length: end - begin });
  }
  if (stored.size === 0) throw file.corrupt('it holds no tensors');
  const problem = layoutProblem(extents, file.size);
  if (problem !== undefined) throw file.corrupt(problem);
  const covered = extents.reduce((sum, extent) => sum + extent.length, start);
  if (covered !== file.size) {
    throw file.corrupt(`the tensors account for ${covered} bytes, the file has ${file.size}`);
  }
  return stored;
}

function readEntry(
  file: RandomAccess,
  name: string,
  entry: unknown,
): Omit<TensorInfo, 'name'> & { begin: number; end: number } {
  if (!isJsonObject(entry)) throw file.corrupt(`the header's entry for "${name}" is not an object`);
  const { dtype: code, shape, data_offsets: offsets } = entry;
  const dtype = dtypeNamed('safetensors', code);
  if (dtype === undefined) {
    const known = dtypes.map(safetensorsName).join(', ');
    throw inputError(
      `${file.path}: "${name}" has dtype ${JSON.stringify(code)}; readable are ${known}: convert the model`,
    );
  }
  if (!isNumbers(shape)) throw file.corrupt(`"${name}" has shape ${JSON.stringify(shape)}`);
  if (!isNumbers(offsets) || offsets.length !== 2 || !(offsets[0] >= 0 && offsets[0] <= offsets[1])) {
    throw file.corrupt(`"${name}" has data_offsets ${JSON.stringify(offsets)}`);
  }
  const [begin, end] = offsets;
  if (byteLength(shape, dtype) !== end - begin) {
    throw file.corrupt(
      `"${name}" of shape [${shape.join(', ')}] and dtype ${String(code)} cannot take ${end - begin} bytes`,
    );
  }
  return { dtype, shape, begin, end };
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item));
}
