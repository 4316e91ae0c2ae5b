import { join } from 'node:path';
import { BlockFile, BlockWriter, type FileRecord } from './block-file.js';

/**
 * The files of an index. Documents and terms are numbered from 0; numbers of documents are their order in the
 * collection, numbers of terms their byte order.
 */
export const FILES = [
  /** Records, one per document: id, title, text. */
  'documents',
  'document-ends',
  /** Records, one per document: its forward vector, (term gap, frequency) varints, terms ascending. */
  'vectors',
  'vector-ends',
  'terms',
  'term-directory',
  /** The postings of all terms, one after another; see postings.ts. */
  'postings',
  /** u32 per document: its length in terms. */
  'lengths',
  /** u32 per document: its place among all ids in byte order. Ties are broken by it. */
  'id-ranks',
  /** u32 per document: the documents in byte order of their ids. */
  'id-order',
  /** u32 per document: where its id ends in `id-bytes`. A ranking needs a thousand ids at once. */
  'id-ends',
  /** All document ids, one after another. */
  'id-bytes',
] as const;

export type FileName = (typeof FILES)[number];

/** Size and digest of each file. */
export type FileRecords = Readonly<Record<FileName, FileRecord>>;

export function createFiles(folder: string): Record<FileName, BlockWriter> {
  return forEachFile((name) => new BlockWriter(join(folder, name)));
}

export function openFiles(folder: string, records: FileRecords): Record<FileName, BlockFile> {
  const opened: BlockFile[] = [];
  try {
    return forEachFile((name) => {
      const file = new BlockFile(join(folder, name), records[name]);
      opened.push(file);
      return file;
    });
  } catch (error) {
    for (const file of opened) file.close();
    throw error;
  }
}

export function forEachFile<T>(make: (name: FileName) => T): Record<FileName, T> {
  return Object.fromEntries(FILES.map((name) => [name, make(name)])) as Record<FileName, T>;
}

export function bytesOf(array: Uint32Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

/** Writes records, numbered from 0: one file has their bytes, another where each of them ends (f64). */
export class RecordWriter {
  readonly #end = Buffer.alloc(8);

  constructor(
    private readonly records: BlockWriter,
    private readonly ends: BlockWriter,
  ) {}

  add(record: Uint8Array): void {
    this.records.write(record);
    this.#end.writeDoubleLE(this.records.position, 0);
    this.ends.write(this.#end);
  }
}

/** Reads what {@link RecordWriter} wrote. */
export class RecordFile {
  constructor(
    private readonly records: BlockFile,
    private readonly ends: BlockFile,
  ) {}

  get(number: number): Uint8Array {
    return this.records.read(number === 0 ? 0 : this.#end(number - 1), this.#end(number));
  }

  #end(number: number): number {
    const bytes = this.ends.read(8 * number, 8 * number + 8);
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
  }
}
