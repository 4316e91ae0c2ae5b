import { copyFile, mkdir, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { basename, join, posix, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createWriteStream, existsSync } from 'node:fs';
import { closing } from '../../common/closing.js';
import { writeFileAtomic } from '../../common/atomic.js';
import { BertQeError, missingError } from '../../common/errors.js';
import { hashJson, hashPath, rememberedFileHash } from '../../common/hash.js';
import { throwReadFailure } from '../../common/io-errors.js';
import { RandomAccessFile, readZip, zipContent } from '../checkpoint/index.js';
import { CONFIG_FILES } from '../config.js';
import { TOKENIZER_FILES } from '../model-folder.js';
import { convertModel } from './convert.js';

/**
 * A model that lacks what a model folder has: a zip archive, or a folder with a checkpoint but without a configuration or
 * a vocabulary. The authors of the paper released their models so.
 */
export interface BareModel {
  /** The archive or folder. */
  readonly path: string;
  /** Archives, folders and model folders that a missing configuration or vocabulary is taken from; the first that has it. */
  readonly otherPlaces: readonly string[];
}

/** The files of a model, wherever they lie. */
interface ModelParts {
  readonly checkpoint: readonly Part[];
  readonly config: Part;
  /** `vocab.txt`, or `tokenizer.json` with the files beside it. */
  readonly tokenizer: readonly Part[];
}

interface Part {
  readonly place: string;
  /** Its path in the place, with slashes. */
  readonly path: string;
  readonly isZipped: boolean;
}

const checkpointFile =
  /(?:^checkpoint|\.index|\.data-\d{5}-of-\d{5}|^model\.safetensors|^pytorch_model\.bin)$/;

/** True for an archive, or a folder that has a checkpoint and lacks a configuration or a vocabulary. */
export async function isBareModel(path: string): Promise<boolean> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return false;
  if (!info.isDirectory()) return path.toLowerCase().endsWith('.zip');
  const names = await readdir(path);
  const isWhole = CONFIG_FILES.some((name) => names.includes(name)) && hasVocabulary(names);
  return !isWhole && names.some((name) => checkpointFile.test(name));
}

/** Finds the parts of a bare model without unpacking it, and throws where one is missing. */
export async function checkBareModel(model: BareModel): Promise<void> {
  await partsOf(model);
}

/**
 * The model folder that is made of a bare model, below `into`: its weights as safetensors, with the configuration and
 * the vocabulary. It is made once. A TensorFlow checkpoint gets the tanh form of GELU, which Google's code has.
 */
export async function completeModel(
  model: BareModel,
  into: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const parts = await partsOf(model);
  const elsewhere = [parts.config, ...parts.tokenizer].filter(({ place }) => place !== model.path);
  const key = hashJson('model 1', await hashPath(model.path), await Promise.all(elsewhere.map(hashOf)));
  const folder = join(into, `${basename(model.path).replace(/\.zip$/i, '')}-${key.slice(0, 12)}`);
  if (existsSync(join(folder, 'config.json'))) return folder;
  const unpacked = `${folder}.unpacked`;
  await rm(folder, { recursive: true, force: true });
  await rm(unpacked, { recursive: true, force: true });
  await mkdir(unpacked, { recursive: true });
  try {
    for (const part of [...parts.checkpoint, parts.config, ...parts.tokenizer])
      await copyPart(part, unpacked);
    if (parts.checkpoint.some(({ path }) => path.endsWith('.index'))) {
      await useTanh(join(unpacked, posix.basename(parts.config.path)));
    }
    await convertModel(unpacked, folder, signal ? { signal } : {});
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
  return folder;
}

async function partsOf({ path, otherPlaces }: BareModel): Promise<ModelParts> {
  const own = await filesOf(path);
  const checkpoints = own.filter((part) => checkpointFile.test(nameOf(part)));
  const weights = checkpoints.filter((part) => /\.(?:index|safetensors|bin)$/.test(nameOf(part)));
  const folders = new Set(weights.map((part) => posix.dirname(part.path)));
  if (folders.size !== 1) {
    throw new BertQeError(
      folders.size === 0 ? 'missing' : 'input',
      folders.size === 0
        ? `${path}: there is no checkpoint in it (*.index with *.data-…, model.safetensors or pytorch_model.bin).`
        : `${path}: it has checkpoints in ${[...folders].map((name) => `"${name}"`).join(', ')}; unpack it and name one folder.`,
    );
  }
  const [folder] = folders;
  const inFolder = (part: Part): boolean => posix.dirname(part.path) === folder;
  const candidates = [own.filter(inFolder), own];
  for (const place of otherPlaces) candidates.push(await filesOf(place).catch(() => []));
  const find = <T>(what: string, choose: (files: readonly Part[]) => T | undefined): T => {
    for (const files of candidates) {
      const found = choose(files);
      if (found !== undefined) return found;
    }
    const places = otherPlaces.length > 0 ? `, nor in ${otherPlaces.join(', ')}` : '';
    throw missingError(`${path}: there is no ${what} in it${places}. Put one beside it.`);
  };
  return {
    checkpoint: checkpoints.filter(inFolder),
    config: find('config.json or bert_config.json', (files) =>
      files.find((part) => CONFIG_FILES.includes(nameOf(part))),
    ),
    tokenizer: find('vocab.txt or tokenizer.json', (files) => {
      const some = files.filter((part) => TOKENIZER_FILES.includes(nameOf(part)));
      return hasVocabulary(some.map(nameOf)) ? some : undefined;
    }),
  };
}

async function filesOf(place: string): Promise<Part[]> {
  const info = await stat(place).catch(throwReadFailure(place));
  if (info.isDirectory()) {
    return (await readdir(place)).map((path) => ({ place, path, isZipped: false }));
  }
  return closing(RandomAccessFile.open(place), async (file) => {
    const names = [...(await readZip(file, { deflated: true })).keys()];
    // Archives made on a Mac have a shadow of every file.
    const kept = names.filter((path) => !path.startsWith('__MACOSX/') && !path.endsWith('/'));
    return kept.map((path) => ({ place, path, isZipped: true }));
  });
}

function nameOf({ path }: Part): string {
  return posix.basename(path);
}

function hasVocabulary(names: readonly string[]): boolean {
  return names.includes('vocab.txt') || names.includes('tokenizer.json');
}

async function hashOf({ place, path, isZipped }: Part): Promise<string> {
  return isZipped ? hashJson(await rememberedFileHash(place), path) : rememberedFileHash(join(place, path));
}

async function copyPart(part: Part, folder: string): Promise<void> {
  const target = join(folder, nameOf(part));
  if (!part.isZipped) {
    const source = resolve(part.place, part.path);
    // Weights are large; where links cannot be made they are copied.
    if (!checkpointFile.test(nameOf(part))) return copyFile(source, target);
    return symlink(source, target).catch(() => copyFile(source, target));
  }
  return closing(RandomAccessFile.open(part.place), async (file) => {
    const entry = (await readZip(file, { deflated: true })).get(part.path)!;
    await pipeline(zipContent(file, entry), createWriteStream(target));
  });
}

/** Google's code computes "gelu" by tanh, Hugging Face's by erf, as configurations are read elsewhere. */
async function useTanh(config: string): Promise<void> {
  const fields = JSON.parse(await readFile(config, 'utf8')) as Record<string, unknown>;
  if (fields.hidden_act !== 'gelu') return;
  await writeFileAtomic(config, JSON.stringify({ ...fields, hidden_act: 'gelu_new' }));
}
