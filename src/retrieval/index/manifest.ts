import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BertQeError, reasonOf } from '../../common/errors.js';
import type { AnalyzerSpec } from '../analysis/index.js';

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
  /** The subfolder with LMDB's files. */
  readonly data: string;
  readonly created: string;
  readonly analyzer: AnalyzerSpec;
  readonly statistics: CollectionStatistics;
}

/** The version that is written. Version 2 added bitmap blocks; version 1 is read by the same code. */
export const FORMAT_VERSION = 2;
const OLDEST_VERSION = 1;

export const MANIFEST = 'index.json';
export const DATA_PREFIX = 'data-';

export function readManifest(folder: string): IndexManifest {
  const file = join(folder, MANIFEST);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new BertQeError(
      'missing',
      `${folder} is not an index (no ${MANIFEST} in it); make one with: bert-qe index COLLECTION --out ${folder}`,
      { cause },
    );
  }
  let manifest: IndexManifest;
  try {
    manifest = JSON.parse(text) as IndexManifest;
  } catch (cause) {
    throw new BertQeError(
      'corrupt',
      `${file} is not valid JSON (${reasonOf(cause)}); build the index again.`,
      {
        cause,
      },
    );
  }
  if (manifest?.format !== 'bert-qe-index') {
    throw new BertQeError('corrupt', `${file} does not describe a bert-qe index; name the folder of one.`);
  }
  if (!(manifest.version >= OLDEST_VERSION && manifest.version <= FORMAT_VERSION)) {
    throw new BertQeError(
      'corrupt',
      `${folder} has index format ${String(manifest.version)}, this version reads ${OLDEST_VERSION} to ${FORMAT_VERSION}; build the index again.`,
    );
  }
  return manifest;
}
