import { lastPlace } from '../../common/order.js';
import { ByteReader, ByteWriter } from './bytes.js';
import { BLOCK_CONTENT, DamageError, type BlockFile, type BlockWriter } from './block-file.js';

/** The longest term or document id, in UTF-8 bytes. */
export const MAX_KEY_BYTES = 1900;

/** A term as the index knows it: the dictionary's entry. */
export interface IndexedTerm {
  /** The place of the term among all terms in byte order, from 0. */
  readonly number: number;
  /** n: documents with the term. */
  readonly documentFrequency: number;
  /** F: occurrences of the term. */
  readonly collectionFrequency: number;
  /** The first byte of its postings in their file. */
  readonly start: number;
  readonly end: number;
}

/**
 * Writes the terms of an index in byte order. An entry is its size in bytes, then the name (its length and its UTF-8
 * bytes), the document and collection frequency, and the start and length of the postings. No entry crosses the end of
 * a block; a size of 0 ends a block early. A second file, the directory, has for each block the number of its first term and that term.
 */
export class DictionaryWriter {
  readonly #entry = new ByteWriter(1 << 12);
  readonly #size = new ByteWriter(8);
  #terms = 0;

  constructor(
    private readonly entries: BlockWriter,
    private readonly directory: BlockWriter,
  ) {}

  add(
    name: Uint8Array,
    { documentFrequency, collectionFrequency, start, end }: Omit<IndexedTerm, 'number'>,
  ): void {
    const entry = this.#entry;
    entry.reset();
    entry.varint(name.length);
    entry.append(name);
    entry.varint(documentFrequency);
    entry.varint53(collectionFrequency);
    entry.varint53(start);
    entry.varint(end - start);
    const size = this.#size;
    size.reset();
    size.varint(entry.length);
    if (size.length + entry.length > this.entries.room) this.entries.fillBlock();
    if (this.entries.room === BLOCK_CONTENT) this.#enterBlock(name);
    this.entries.write(size.view());
    this.entries.write(entry.view());
    this.#terms++;
  }

  #enterBlock(name: Uint8Array): void {
    const line = new ByteWriter(16 + name.length);
    line.varint(this.#terms);
    line.varint(name.length);
    line.append(name);
    this.directory.write(line.view());
  }
}

export class Dictionary {
  /** Per block: the number of its first term, and the end of that term in `#names`. */
  readonly #numbers: number[] = [];
  readonly #ends: number[] = [];
  readonly #names: Buffer;

  constructor(
    private readonly entries: BlockFile,
    directory: BlockFile,
    private readonly terms: number,
  ) {
    const names = new ByteWriter();
    const reader = new ByteReader(directory.read(0, directory.bytes));
    while (!reader.atEnd) {
      this.#numbers.push(reader.varint());
      names.append(reader.take(reader.varint()));
      this.#ends.push(names.length);
    }
    this.#names = Buffer.from(names.view());
  }

  find(name: string): IndexedTerm | undefined {
    const key = Buffer.from(name);
    // The last block that does not begin behind the name.
    const block = lastPlace(this.#ends.length, (at) => {
      const start = at === 0 ? 0 : this.#ends[at - 1];
      return key.compare(this.#names, start, this.#ends[at]) >= 0;
    });
    if (block < 0) return undefined;
    const content = this.entries.block(block);
    const reader = new ByteReader(content);
    for (let number = this.#numbers[block]; !reader.atEnd; number++) {
      const size = reader.varint();
      if (size === 0) return undefined;
      const end = reader.position + size;
      const length = reader.varint();
      const at = reader.position;
      if (length === key.length && key.compare(content, at, at + length) === 0) {
        reader.position += length;
        return readEntry(reader, number);
      }
      reader.position = end;
    }
    return undefined;
  }

  get(number: number): IndexedTerm & { readonly name: string } {
    if (!(number < this.terms)) throw new DamageError(`there is no term ${number}`);
    const block = lastPlace(this.#numbers.length, (at) => this.#numbers[at] <= number);
    const reader = new ByteReader(this.entries.block(block));
    for (let skipped = number - this.#numbers[block]; skipped > 0; skipped--) {
      const size = reader.varint();
      reader.position += size;
    }
    reader.varint();
    const name = reader.string();
    return { name, ...readEntry(reader, number) };
  }
}

/** Reads what follows the name. */
function readEntry(reader: ByteReader, number: number): IndexedTerm {
  const documentFrequency = reader.varint();
  const collectionFrequency = reader.varint53();
  const start = reader.varint53();
  const end = start + reader.varint();
  return { number, documentFrequency, collectionFrequency, start, end };
}
