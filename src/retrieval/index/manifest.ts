import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BertQeError, corruptError, missingError, reasonOf } from '../../common/errors.js';
import { hashJson } from '../../common/hash.js';
import type { AnalyzerSpec } from '../analysis/spec.js';
import type { CollectionStatistics } from './statistics.js';
import type { FileRecords } from './storage.js';

/**
 * The content of `index.json`. It is written last and atomically, and names the folder with the data; so an interrupted
 * build leaves the previous index untouched.
 */
export interface IndexManifest {
  readonly format: 'bert-qe-index';
  readonly version: number;
  /** The sub-folder with the files. */
  readonly data: string;
  readonly analyzer: AnalyzerSpec;
  readonly statistics: CollectionStatistics;
  /** Size and digest of each file. */
  readonly files: FileRecords;
  /** Hash of analyzer, statistics and files: indexes with the same one have the same content. */
  readonly digest: string;
}

/** The format that is written and read. Formats 1 and 2 had no checksums. */
const FORMAT_VERSION = 3;

export const MANIFEST = 'index.json';
export const DATA_PREFIX = 'data-';

export function manifestOf(content: Omit<IndexManifest, 'format' | 'version' | 'digest'>): IndexManifest {
  return { format: 'bert-qe-index', version: FORMAT_VERSION, ...content, digest: digestOf(content) };
}

function digestOf({ analyzer, statistics, files }: Partial<IndexManifest>): string {
  return hashJson(analyzer ?? null, statistics ?? null, files ?? null);
}

export function readManifest(folder: string): IndexManifest {
  const file = join(folder, MANIFEST);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw missingError(
      `${folder} is not an index (no ${MANIFEST} in it); make one with: bert-qe index COLLECTION --out ${folder}`,
      cause,
    );
  }
  let manifest: Partial<IndexManifest> | null;
  try {
    manifest = JSON.parse(text) as Partial<IndexManifest> | null;
  } catch (cause) {
    throw broken(`${file} is not valid JSON (${reasonOf(cause)})`, cause);
  }
  if (manifest?.format !== 'bert-qe-index') {
    throw corruptError(`${file} does not describe a bert-qe index; name the folder of one.`);
  }
  const { version } = manifest;
  if (version === 1 || version === 2) {
    throw broken(
      `${folder} has index format ${version}, without checksums; this version reads ${FORMAT_VERSION}`,
    );
  }
  if (version !== FORMAT_VERSION) {
    throw broken(`${folder} has index format ${String(version)}, this version reads ${FORMAT_VERSION}`);
  }
  if (manifest.digest !== digestOf(manifest) || !/^data-\d+$/.test(String(manifest.data))) {
    throw broken(`${file} is damaged: its checksum is wrong`);
  }
  return manifest as IndexManifest;
}

function broken(what: string, cause?: unknown): BertQeError {
  return corruptError(`${what}; build the index again.`, cause);
}

/** The manifest of a folder, unchecked; undefined where it is missing or cannot be read. */
export function uncheckedManifest(folder: string): Partial<IndexManifest> | undefined {
  try {
    const text = readFileSync(join(folder, MANIFEST), 'utf8');
    return (JSON.parse(text) as Partial<IndexManifest> | null) ?? {};
  } catch {
    return undefined;
  }
}
