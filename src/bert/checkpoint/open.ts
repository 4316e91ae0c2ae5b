import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  BertQeError,
  corruptError,
  inputError,
  missingError,
  reasonOf,
  usageError,
} from '../../common/errors.js';
import { readFailure, systemCode, throwReadFailure } from '../../common/io-errors.js';
import type { CheckpointFile } from './checkpoint-file.js';
import { openPyTorch } from './pytorch.js';
import { MemoryFile, mostUnpacked } from './random-access.js';
import { RandomAccessFile } from './random-access-file.js';
import { readSafetensors } from './safetensors.js';
import { openSharded } from './sharded.js';
import { openTensorFlow } from './tensorflow.js';

/** File names in order of preference: the safest and fastest format first. */
const FILES = [
  'model.safetensors',
  'model.safetensors.index.json',
  'pytorch_model.bin',
  'pytorch_model.bin.index.json',
  'model.safetensors.gz',
];

/** True for the name of a file that {@link openCheckpoint} finds in a folder. */
export function isCheckpoint(name: string): boolean {
  return FILES.includes(name) || name.endsWith('.index');
}

/**
 * Opens the weights of a model: a folder that holds them, or the file itself (`*.safetensors`, `*.safetensors.gz`, `*.bin`/`*.pt`,
 * an index of shards, or a TensorFlow checkpoint by its prefix or its `.index` file).
 */
export async function openCheckpoint(path: string): Promise<CheckpointFile> {
  const info = await stat(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw readFailure(path, error);
  });
  return openFile(info?.isDirectory() ? await findInFolder(path) : path);
}

async function openFile(path: string): Promise<CheckpointFile> {
  const name = basename(path);
  if (name.endsWith('.safetensors.index.json')) return openSharded(path, 'safetensors', openSafetensors);
  if (name.endsWith('.bin.index.json')) return openSharded(path, 'pytorch', openPyTorch);
  if (name.endsWith('.safetensors')) return openSafetensors(path);
  if (name.endsWith('.safetensors.gz')) return openCompressed(path);
  if (/\.(?:bin|pt|pth)$/.test(name)) return openPyTorch(path);
  if (name.endsWith('.index')) return openTensorFlow(path.slice(0, -'.index'.length));
  const shard = /^(.*)\.data-\d{5}-of-\d{5}$/.exec(path);
  if (shard) return openTensorFlow(shard[1]);
  if (existsSync(`${path}.index`)) return openTensorFlow(path);
  if (!existsSync(path)) throw missingError(`${path}: no such file, folder or checkpoint`);
  throw inputError(
    `${path}: not a checkpoint this program knows; expected .safetensors, .bin, .pt or a TensorFlow .index`,
  );
}

async function openSafetensors(path: string): Promise<CheckpointFile> {
  return readSafetensors(await RandomAccessFile.open(path));
}

async function openCompressed(path: string): Promise<CheckpointFile> {
  const packed = await readFile(path).catch(throwReadFailure(path));
  const maxOutputLength = mostUnpacked(packed.length);
  try {
    return await readSafetensors(new MemoryFile(path, gunzipSync(packed, { maxOutputLength })));
  } catch (cause) {
    if (cause instanceof BertQeError) throw cause;
    if (systemCode(cause) === 'ERR_BUFFER_TOO_LARGE') {
      throw corruptError(`${path}: unpacks to more than ${maxOutputLength} bytes; it is no model`, cause);
    }
    const text = `${path}: cannot be unpacked (${reasonOf(cause)}); download or convert it again`;
    throw corruptError(text, cause);
  }
}

async function findInFolder(folder: string): Promise<string> {
  const names = await readdir(folder);
  const known = FILES.find((name) => names.includes(name));
  if (known !== undefined) return join(folder, known);

  const indexes = names.filter((name) => name.endsWith('.index')).sort();
  const latest = await latestTensorFlow(folder);
  if (latest !== undefined && indexes.includes(`${latest}.index`)) return join(folder, `${latest}.index`);
  if (indexes.length === 1) return join(folder, indexes[0]);
  if (indexes.length > 1) {
    throw usageError(`${folder}: holds ${indexes.join(', ')}: name the one to open`);
  }
  const foreign = names.filter((name) => /\.(?:h5|msgpack|gguf|ot)$/.test(name));
  const hint = foreign.length > 0 ? `; ${foreign.join(', ')} cannot be read: convert to safetensors` : '';
  throw missingError(
    `${folder}: no weights here (model.safetensors, pytorch_model.bin or a TensorFlow *.ckpt.index)${hint}`,
  );
}

/** The newest checkpoint of a training folder, named in TensorFlow's text file `checkpoint`. */
async function latestTensorFlow(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'checkpoint'), 'utf8').catch(() => '');
  const named = /^model_checkpoint_path: "([^"]+)"/m.exec(text)?.[1];
  return named && basename(named);
}
