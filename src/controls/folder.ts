import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../common/atomic.js';
import { corruptError, inputError, missingError } from '../common/errors.js';
import { readFailure, systemCode } from '../common/io-errors.js';

/** The methods whose models are trained here. */
export const trainedMethods = ['cedr-knrm', 'nprf-drmm', 'snrm'] as const;
export type TrainedMethod = (typeof trainedMethods)[number];

const version = 1;

/** Writes the description of a trained control's model; it is written last, a folder without it is not a model. */
export async function writeDescription(folder: string, method: TrainedMethod, fields: object): Promise<void> {
  await mkdir(folder, { recursive: true });
  const content = { format: `bert-qe ${method}`, version, ...fields };
  await writeFileAtomic(join(folder, 'config.json'), `${JSON.stringify(content, undefined, 1)}\n`);
}

/** Reads the description of a trained control's model. */
export async function readDescription<T>(folder: string, method: TrainedMethod): Promise<T> {
  const file = join(folder, 'config.json');
  const how = `make one with bert-qe train --method ${method}`;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw readFailure(file, error);
    throw missingError(`${folder} holds no model of ${method}: ${file} is missing; ${how}.`);
  }
  let found: { readonly format?: unknown; readonly version?: unknown };
  try {
    found = JSON.parse(text) as typeof found;
  } catch (cause) {
    throw corruptError(`${file} is not JSON; ${how}.`, cause);
  }
  if (found?.format !== `bert-qe ${method}` || found.version !== version) {
    throw inputError(`${folder} holds no model of ${method}; ${how}.`);
  }
  return found as T;
}
