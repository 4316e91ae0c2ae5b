import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { AnalyzerBase } from '../../../src/retrieval/analysis/bases.js';

/** The terms that the real systems make of a text: Anserini, Terrier, and Lucene's tokenizer with lower case. */
export type PeerCase = { readonly text: string } & Readonly<Record<AnalyzerBase, readonly string[]>>;

export interface Digest {
  readonly terms: number;
  readonly sha256: string;
}

export type PeerDigests = Readonly<Record<AnalyzerBase, Digest>>;

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../fixtures/analysis/${name}`, import.meta.url));

export const peerCases = JSON.parse(gunzipSync(fixture('texts.json.gz')).toString()) as readonly PeerCase[];

export const peerDigests = JSON.parse(fixture('digests.json').toString()) as {
  readonly random: PeerDigests;
  readonly porter: Digest;
  /** By the first code point of a block, in hexadecimal. */
  readonly codePoints: Readonly<Record<string, string>>;
  readonly collections: Readonly<Record<string, PeerDigests>>;
};

/** A digest of the terms of each of some texts, as scripts/peers/analysis/make-fixtures.mjs makes it. */
export function digest(lists: Iterable<readonly string[]>): Digest {
  const hash = createHash('sha256');
  let terms = 0;
  for (const list of lists) {
    terms += list.length;
    hash.update(`${list.join(' ')}\n`, 'utf16le');
  }
  return { terms, sha256: hash.digest('hex').slice(0, 16) };
}
