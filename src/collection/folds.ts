import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../common/errors.js';
import { readFailure } from '../common/io-errors.js';
import { standardStream } from '../common/output.js';
import { badInput, checkId, quote } from './bad-input.js';
import { ByteSource } from './byte-source.js';
import { readLines } from './lines.js';
import { isFile, statPath } from './walk.js';

/** A fold of cross-validation: ids of the queries for training, for choosing parameters, and for testing. */
export interface Fold {
  readonly train: readonly string[];
  readonly valid: readonly string[];
  readonly test: readonly string[];
}

/**
 * Reads folds: the authors' folder (`1/train_query`, `1/valid_query`, `1/test_query`, …, one id per line), or a
 * JSON file: partitions (`[["301", …], …]`, as Anserini has them), folds (`[{"train", "valid", "test"}]`), or
 * Capreolus' (`{"s1": {"train_qids", "predict": {"dev", "test"}}}`).
 */
export async function readFolds(path: string): Promise<Fold[]> {
  const isFolder = path !== standardStream && (await statPath(path)).isDirectory();
  const folds = isFolder ? await readFoldFolder(path) : await readFoldFile(path);
  checkFolds(folds, path);
  return folds;
}

/**
 * Distributes query ids round-robin over partitions, as the authors' folds of GOV2 do: ids in order, numbers by value.
 */
export function roundRobinFolds(ids: Iterable<string>, count = 5): Fold[] {
  const partitions: string[][] = Array.from({ length: count }, () => []);
  [...ids].sort(compareIds).forEach((id, i) => partitions[i % count]!.push(id));
  return foldsOfPartitions(partitions);
}

/**
 * Makes a fold per partition, which is tested. The partition before it validates, as in CEDR's folds, and the others
 * train. With two partitions, the other one does both.
 */
export function foldsOfPartitions(partitions: readonly (readonly string[])[]): Fold[] {
  const count = partitions.length;
  return partitions.map((test, i) => {
    const before = (i + count - 1) % count;
    const others = partitions.filter((_, k) => k !== i && (k !== before || count === 2));
    return { train: others.flat(), valid: [...partitions[before]!], test: [...test] };
  });
}

/** Compares ids: whole numbers by value, others by code unit, numbers first. */
function compareIds(a: string, b: string): number {
  const [isA, isB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isA && isB) return Number(a) - Number(b) || (a < b ? -1 : a > b ? 1 : 0);
  if (isA !== isB) return isA ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

async function readFoldFolder(folder: string): Promise<Fold[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw readFailure(folder, error);
  });
  const folds: Fold[] = [];
  for (const name of names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))) {
    if (!(await isFile(join(folder, name, 'test_query')))) continue;
    const read = (part: string): Promise<string[]> => readIds(join(folder, name, `${part}_query`));
    folds.push({ train: await read('train'), valid: await read('valid'), test: await read('test') });
  }
  if (folds.length > 0) return folds;
  throw badInput(
    { file: folder },
    'the folder holds no folds',
    'Expected are sub-folders 1, 2, … with files train_query, valid_query and test_query, one query id per line.',
  );
}

async function readIds(path: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { text, line } of readLines(ByteSource.open(path))) {
    const id = text.trim();
    if (id !== '') ids.push(checkId(id, 'query', { file: path, line }));
  }
  return ids;
}

async function readFoldFile(path: string): Promise<Fold[]> {
  const source = ByteSource.open(path);
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  const file = source.name;
  let value: unknown;
  try {
    value = JSON.parse(
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    );
  } catch (error) {
    throw badInput(
      { file },
      `not valid JSON (${reasonOf(error).replaceAll('\n', ' ')})`,
      'Mend the file.',
      error,
    );
  }
  if (Array.isArray(value) && value.length > 1 && value.every(Array.isArray)) {
    return foldsOfPartitions(value.map((ids, i) => idList(ids, file, `partition ${i + 1}`)));
  }
  const entries = Object.entries((value ?? {}) as Record<string, unknown>);
  if (typeof value === 'object' && entries.length > 0) {
    return entries.map(([name, fold]) =>
      toFold(fold, file, `fold ${Array.isArray(value) ? Number(name) + 1 : name}`),
    );
  }
  throw badInput(
    { file },
    'no folds were found',
    'Write [["id", …], …], one array of query ids per partition.',
  );
}

function toFold(value: unknown, file: string, name: string): Fold {
  const fold = (value ?? {}) as Record<string, unknown>;
  const predict = (fold.predict ?? {}) as Record<string, unknown>;
  return {
    train: idList(fold.train ?? fold.train_qids, file, `${name}, train`),
    valid: idList(fold.valid ?? predict.dev, file, `${name}, valid`),
    test: idList(fold.test ?? predict.test, file, `${name}, test`),
  };
}

function isId(id: unknown): boolean {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** Ids without repetition: some published folds sample with replacement. */
function idList(value: unknown, file: string, name: string): string[] {
  if (!Array.isArray(value) || !value.every(isId)) {
    throw badInput(
      { file },
      `${name}: an array of query ids was expected`,
      'Write {"train": ["301", …], "valid": […], "test": […]} for each fold.',
    );
  }
  return [...new Set(value.map((id) => checkId(String(id), 'query', { file })))];
}

/** Refuses folds in which a query is both trained on and tested, or tested twice. */
function checkFolds(folds: readonly Fold[], file: string): void {
  const tested = new Map<string, number>();
  folds.forEach((fold, index) => {
    const seen = new Set([...fold.train, ...fold.valid]);
    for (const id of fold.test) {
      if (seen.has(id)) {
        throw badInput(
          { file },
          `fold ${index + 1}: query ${quote(id)} is tested but also used for training or validation`,
          'Remove it from one of them.',
        );
      }
      const before = tested.get(id);
      if (before !== undefined) {
        throw badInput(
          { file },
          `query ${quote(id)} is tested in fold ${before + 1} and again in fold ${index + 1}`,
          'Test every query once.',
        );
      }
      tested.set(id, index);
    }
  });
}
