import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inputError } from './errors.js';
import { systemCode } from './io-errors.js';

/** The folder of everything that can be computed again: `BERT_QE_CACHE`, else `bert-qe` in `XDG_CACHE_HOME` or `~/.cache`. */
export function cacheFolder(): string {
  const { BERT_QE_CACHE: own, XDG_CACHE_HOME: shared } = process.env;
  if (own) return own;
  return join(shared || join(homedir(), '.cache'), 'bert-qe');
}

/** Codes of a place that cannot be written to: a read-only home, none at all, or one that Node may not touch. */
const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'ERR_ACCESS_DENIED']);

let temporary: string | undefined;

/**
 * Does work that reads or writes the cache folder. If the folder cannot be written to, the work is done once more with
 * a temporary folder, and a warning says so once. A folder that `BERT_QE_CACHE` names has no substitute.
 */
export async function inCache<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = cacheFolder();
  try {
    return await work(folder);
  } catch (error) {
    const code = systemCode((error as { cause?: unknown }).cause ?? error);
    if (process.env['BERT_QE_CACHE'] || !UNWRITABLE.has(code ?? '')) throw error;
    if (temporary === undefined) {
      temporary = temporaryFolder(folder);
      process.emitWarning(
        `bert-qe cannot write to its cache ${folder} (${code}) and uses ${temporary}; BERT_QE_CACHE names another folder.`,
      );
    }
    return work(temporary);
  }
}

/** A folder that only this user can write to, the same in every process where possible. */
function temporaryFolder(cache: string): string {
  const user = process.getuid?.();
  const folder = join(tmpdir(), user === undefined ? 'bert-qe' : `bert-qe-${user}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    const isOwn = user === undefined || (uid === user && (mode & 0o022) === 0);
    return isOwn ? folder : mkdtempSync(`${folder}-`);
  } catch (cause) {
    throw inputError(
      `Neither the cache ${cache} nor ${tmpdir()} can be written to; name a folder that can in BERT_QE_CACHE.`,
      cause,
    );
  }
}
