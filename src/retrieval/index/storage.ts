import { open, type Database, type RootDatabase } from 'lmdb';

/** The longest document id or term, in UTF-8 bytes: what an LMDB key can hold. */
export const MAX_KEY_BYTES = 1900;

/**
 * The tables of an index, all in one LMDB environment. Documents and terms are numbered from 0; the numbers are the
 * keys of everything that is not looked up by name.
 */
export interface Storage {
  readonly root: RootDatabase<Buffer, Buffer>;
  /** Document id → document number (u32). In key order this is also the order in which ties are broken. */
  readonly ids: Database<Buffer, Buffer>;
  /** Document number → id, title, text. */
  readonly documents: Database<Buffer, number>;
  /** Document number → forward vector: (term gap, frequency) varints, terms ascending. */
  readonly vectors: Database<Buffer, number>;
  /** Term → term number (u32). */
  readonly terms: Database<Buffer, Buffer>;
  /** Term number → term. */
  readonly names: Database<Buffer, number>;
  /** Term number → document frequency (u32), collection frequency (f64). */
  readonly frequencies: Database<Buffer, number>;
  /** Term number → postings (see postings.ts). */
  readonly postings: Database<Buffer, number>;
  /** Whole-collection arrays: {@link LENGTHS}, {@link ID_RANKS}, {@link ID_ENDS}, {@link ID_BYTES}. */
  readonly arrays: Database<Buffer, number>;
}

/** Key in `arrays`: u32 per document, its length in terms. */
export const LENGTHS = 0;
/** Key in `arrays`: u32 per document, its place among all document ids in byte order. */
export const ID_RANKS = 1;
/** Key in `arrays`: u32 per document, where its id ends in {@link ID_BYTES}. A ranking needs a thousand ids at once. */
export const ID_ENDS = 2;
/** Key in `arrays`: all document ids, one after another. */
export const ID_BYTES = 3;

export function openStorage(folder: string, access: 'read' | 'write'): Storage {
  const root: RootDatabase<Buffer, Buffer> = open({
    path: folder,
    noSubdir: false,
    maxDbs: 9,
    encoding: 'binary',
    keyEncoding: 'binary',
    noMemInit: true,
    // A build is made durable as a whole, by one sync before its manifest is published.
    ...(access === 'write' ? { noSync: true } : { readOnly: true }),
  });
  const byName = (name: string) =>
    root.openDB<Buffer, Buffer>(name, { encoding: 'binary', keyEncoding: 'binary' });
  const byNumber = (name: string) =>
    root.openDB<Buffer, number>(name, { encoding: 'binary', keyEncoding: 'uint32' });
  return {
    root,
    ids: byName('ids'),
    documents: byNumber('documents'),
    vectors: byNumber('vectors'),
    terms: byName('terms'),
    names: byNumber('names'),
    frequencies: byNumber('frequencies'),
    postings: byNumber('postings'),
    arrays: byNumber('arrays'),
  };
}

/**
 * A value without copying it where LMDB maps it directly (large values), copied where LMDB would reuse the bytes at
 * the next read (small ones). Safe because a published index never changes.
 */
export function stableValue<K extends number | Buffer>(
  table: Database<Buffer, K>,
  key: K,
): Uint8Array | undefined {
  const value = table.getBinaryFast(key) as (Uint8Array & { isGlobal?: boolean }) | undefined;
  return value?.isGlobal ? Uint8Array.prototype.slice.call(value, 0, value.length) : value;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value, 0);
  return bytes;
}

export function bytesOf(array: Uint32Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

/** The value in `frequencies`. */
export function encodeFrequencies(documentFrequency: number, collectionFrequency: number): Buffer {
  const bytes = Buffer.allocUnsafe(12);
  bytes.writeUInt32LE(documentFrequency, 0);
  bytes.writeDoubleLE(collectionFrequency, 4);
  return bytes;
}
