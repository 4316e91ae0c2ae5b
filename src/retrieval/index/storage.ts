import { open, type Database, type RootDatabase } from 'lmdb';

/** The longest document id or term in UTF-8 bytes, limited by LMDB's keys. */
export const MAX_KEY_BYTES = 1900;

/**
 * The tables of an index in one LMDB environment. Documents and terms are numbered from 0, and the numbers are the keys
 * of all tables but `ids` and `terms`.
 */
export interface Storage {
  readonly root: RootDatabase<Buffer, Buffer>;
  /** Document number (u32) by document id. The order of keys is the order that breaks ties. */
  readonly ids: Database<Buffer, Buffer>;
  /** Id, title and text by document number. */
  readonly documents: Database<Buffer, number>;
  /** Forward vector by document number: (term gap, frequency) varints, terms ascending. */
  readonly vectors: Database<Buffer, number>;
  /** Term number (u32) by term. */
  readonly terms: Database<Buffer, Buffer>;
  /** Term by term number. */
  readonly names: Database<Buffer, number>;
  /** Document frequency (u32) and collection frequency (f64) by term number. */
  readonly frequencies: Database<Buffer, number>;
  /** Postings by term number (see postings.ts). */
  readonly postings: Database<Buffer, number>;
  /** Arrays of the whole collection: {@link LENGTHS}, {@link ID_RANKS}, {@link ID_ENDS}, {@link ID_BYTES}. */
  readonly arrays: Database<Buffer, number>;
}

/** Key in `arrays`: the length of each document in terms, u32. */
export const LENGTHS = 0;
/** Key in `arrays`: the rank of each document's id in byte order, u32. */
export const ID_RANKS = 1;
/** Key in `arrays`: the end of each document's id in {@link ID_BYTES}, u32. */
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
    // A build is synced once, before its manifest is written.
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
 * A value that stays valid. Large values are mapped by LMDB and not copied; small ones are copied, since LMDB reuses
 * their bytes at the next read. A finished index never changes, so mapped values are safe.
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
