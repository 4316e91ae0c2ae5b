import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { missingError, usageError } from '../common/errors.js';
import { cacheFolder } from '../common/cache-folder.js';
import { hashPath } from '../common/hash.js';
import { modelsFolder } from '../common/package-files.js';
import { CONFIG_FILES } from './config.js';
import { TOKENIZER_FILES } from './model-folder.js';
import { SIZE_FOLDERS, type SizeLetter } from './sizes.js';

/** Hash of all that a model's scores depend on: its files without notes, hidden files and the log of its training. */
export function hashModel(folder: string): Promise<string> {
  return hashPath(
    folder,
    (name) => !name.startsWith('.') && !name.toLowerCase().endsWith('.md') && name !== 'training.json',
  );
}

/** Hash of the files of a model's tokenizer. */
export function hashTokenizer(folder: string): Promise<string> {
  return hashPath(folder, (name) => TOKENIZER_FILES.includes(name));
}

/** The folders in which models are found, in this order: `BERT_QE_MODELS`, the package's own, fetched ones. */
function modelPaths(): string[] {
  const { BERT_QE_MODELS: own } = process.env;
  return [...(own ? [own] : []), modelsFolder, join(cacheFolder(), 'models')];
}

/** The folders of all models by name; an earlier model path hides a later one. */
export async function listModels(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const path of modelPaths()) {
    const names = await readdir(path).catch(() => []);
    for (const name of names.sort()) {
      const folder = join(path, name);
      if (!found.has(name) && isModelFolder(folder)) found.set(name, folder);
    }
  }
  return found;
}

/** Gives a model a further name. */
export async function nameModel(folder: string, name: string): Promise<void> {
  const folders = join(cacheFolder(), 'models');
  await mkdir(folders, { recursive: true });
  // Renamed into its place, so that the name means one model or the other at any moment.
  const link = join(folders, `.${name}.${process.pid}.tmp`);
  // A junction needs no privilege on Windows; elsewhere the kind is ignored.
  await symlink(folder, link, 'junction');
  await rename(link, join(folders, name));
}

/** The folder of a model given by letter (T, S, M, B, L), by name, or by path. */
export async function findModel(name: string): Promise<string> {
  if (typeof name !== 'string') {
    throw usageError(
      `A model is named by a letter (T, S, M, B, L), a name or a folder, as in { model: 'T' }; found ${typeof name}.`,
    );
  }
  const path = resolve(name);
  if (/[\\/]|^\.+$/.test(name) && isModelFolder(path)) return path;
  const models = await listModels();
  const size = Object.hasOwn(SIZE_FOLDERS, name) ? SIZE_FOLDERS[name as SizeLetter] : undefined;
  const folder = models.get(size ?? name) ?? models.get(name);
  // BERT_QE_MODELS may be a relative path; the result is absolute.
  if (folder !== undefined) return resolve(folder);
  if (isModelFolder(path)) return path;
  if (existsSync(path)) {
    throw missingError(`${name}: holds no model (no config.json or bert_config.json in it).`);
  }
  throw missingError(`No model "${name}"${hint(name, size, [...models.keys()])}`);
}

function hint(name: string, size: string | undefined, known: readonly string[]): string {
  if (size !== undefined) {
    const where = modelPaths().map((path) => join(path, size));
    return `: none of ${where.join(', ')} exists. Fetch one with: bert-qe models get ORG/NAME --as ${name}`;
  }
  if (/^[\w.-]+\/[\w.-]+$/.test(name)) {
    return `: there is no such folder. If it is on the hub: bert-qe models get ${name}`;
  }
  return `. Known are T, S, M, B, L, ${known.join(', ')}; a path to a model folder works too.`;
}

function isModelFolder(path: string): boolean {
  return CONFIG_FILES.some((name) => existsSync(join(path, name)));
}
