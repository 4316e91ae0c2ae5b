import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { ByteReader, ByteWriter } from './bytes.js';

/** A temporary file that is written once, from its beginning to its end, and then read in parts. */
export class TemporaryFile {
  #handle: number;
  readonly #buffer = new ByteWriter(1 << 20);
  #written = 0;

  constructor(private readonly file: string) {
    this.#handle = openSync(file, 'wx+');
  }

  get size(): number {
    return this.#written + this.#buffer.length;
  }

  append(bytes: Uint8Array): void {
    this.#buffer.append(bytes);
    if (this.#buffer.length > 1 << 19) this.flush();
  }

  flush(): void {
    const { bytes, length } = this.#buffer;
    for (let written = 0; written < length;) {
      written += writeSync(this.#handle, bytes, written, length - written);
    }
    this.#written += length;
    this.#buffer.reset();
  }

  reader(part: FilePart, bufferBytes: number): PartReader {
    return new PartReader(this.#handle, part, bufferBytes);
  }

  close(): void {
    if (this.#handle >= 0) closeSync(this.#handle);
    this.#handle = -1;
  }

  /** Closes the file and deletes it. */
  discard(): void {
    this.close();
    unlinkSync(this.file);
  }
}

export interface FilePart {
  readonly start: number;
  readonly end: number;
}

/** Reads a part of a file from its beginning to its end with a buffer. */
class PartReader {
  /** At the next byte; {@link ensure} replaces it. */
  bytes = new ByteReader(new Uint8Array(0));
  #buffer: Uint8Array;
  #position: number;

  constructor(
    private readonly handle: number,
    private readonly part: FilePart,
    bufferBytes: number,
  ) {
    this.#position = part.start;
    this.#buffer = new Uint8Array(bufferBytes);
  }

  /** Has at least `count` bytes (or all that is left) in the buffer. */
  ensure(count: number): void {
    const left = this.bytes.bytes.length - this.bytes.position;
    if (left >= count || this.#position >= this.part.end) return;
    const rest = this.bytes.bytes.subarray(this.bytes.position);
    if (this.#buffer.length < count) this.#buffer = new Uint8Array(count * 2);
    this.#buffer.set(rest, 0);
    const wanted = Math.min(this.#buffer.length - left, this.part.end - this.#position);
    let read = 0;
    while (read < wanted) {
      const got = readSync(this.handle, this.#buffer, left + read, wanted - read, this.#position + read);
      if (got === 0) break;
      read += got;
    }
    this.#position += read;
    this.bytes = new ByteReader(this.#buffer.subarray(0, left + read));
  }
}

/** A segment in the spill files. Its terms are numbered by their order. */
export interface SpilledSegment {
  readonly terms: number;
  readonly documents: number;
  /** Records of terms in byte order: name, document and collection frequency, size of the postings, postings. */
  readonly postings: FilePart;
  /** Forward vectors of the documents: size, then (gap of the segment's term numbers, frequency). */
  readonly vectors: FilePart;
}

/** Walks the terms of a spilled segment; `postings` is valid until the next `advance`. */
export class SpillCursor {
  /** The name of the term, as text (for comparisons) and in bytes. */
  name = '';
  nameBytes: Uint8Array = new Uint8Array(0);
  documentFrequency = 0;
  collectionFrequency = 0;
  readonly #reader: PartReader;

  constructor(file: TemporaryFile, part: FilePart, bufferBytes: number) {
    this.#reader = file.reader(part, bufferBytes);
  }

  /** Moves to the next term; false at the end. */
  advance(): boolean {
    const reader = this.#reader;
    reader.ensure(5);
    if (reader.bytes.atEnd) return false;
    const length = reader.bytes.varint();
    // Three varints take at most 5 + 8 + 5 bytes.
    reader.ensure(length + 18);
    this.nameBytes = reader.bytes.take(length).slice();
    this.name = decoder.decode(this.nameBytes);
    this.documentFrequency = reader.bytes.varint();
    this.collectionFrequency = reader.bytes.varint53();
    reader.ensure(reader.bytes.varint());
    return true;
  }

  /** The current term's postings, to be read exactly once: `documentFrequency` times gap, frequency. */
  get postings(): ByteReader {
    return this.#reader.bytes;
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
