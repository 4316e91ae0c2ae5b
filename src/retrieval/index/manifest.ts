import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BertQeError, corruptError, missingError, reasonOf } from '../../common/errors.js';
import { hashJson } from '../../common/hash.js';
import type { AnalyzerSpec } from '../analysis/spec.js';
import type { FileRecords } from './storage.js';

/** The statistics of a collection, which weighting and feedback models use. */
export interface CollectionStatistics {
  /** N: all documents, empty ones included (as in Terrier). */
  readonly documents: number;
  /** Documents with at least one term (Lucene's `docCount`). */
  readonly nonEmptyDocuments: number;
  /** T: all term occurrences. */
  readonly tokens: number;
  /** Distinct terms. */
  readonly terms: number;
  readonly postings: number;
  /** The length of the longest document. */
  readonly maxLength: number;
}

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

/** The data folder that the manifest names; undefined where there is no manifest that can be read. */
export function currentData(folder: string): string | undefined {
  const data = parse(folder)?.data;
  return typeof data === 'string' ? data : undefined;
}

/** Tells an index (true) from something else (false); undefined for a manifest that is missing or cannot be read. */
export function isIndex(folder: string): boolean | undefined {
  const manifest = parse(folder);
  return manifest && manifest.format === 'bert-qe-index';
}

function parse(folder: string): Partial<IndexManifest> | undefined {
  try {
    const manifest = JSON.parse(
      readFileSync(join(folder, MANIFEST), 'utf8'),
    ) as Partial<IndexManifest> | null;
    return manifest ?? {};
  } catch {
    return undefined;
  }
}
