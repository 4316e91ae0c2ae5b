import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { ByteReader, ByteWriter } from './bytes.js';

/**
 * A temporary file of inverted segments, one after another, for the merge. A record is a term number, its document and
 * collection frequency in the segment, and its postings as (gap, frequency) varints.
 */
export class SpillFile {
  readonly #file: string;
  readonly #handle: number;
  readonly #segments: { start: number; end: number }[] = [];
  readonly #buffer = new ByteWriter(1 << 20);
  readonly #record = new ByteWriter();
  #size = 0;

  constructor(file: string) {
    this.#file = file;
    this.#handle = openSync(file, 'w+');
  }

  get segments(): number {
    return this.#segments.length;
  }

  beginSegment(): void {
    this.#segments.push({ start: this.#size, end: this.#size });
  }

  /** Appends a record; within a segment, term numbers must ascend. */
  add(
    term: number,
    collectionFrequency: number,
    documents: Uint32Array,
    frequencies: Uint32Array,
    from: number,
    to: number,
  ): void {
    const record = this.#record;
    record.reset();
    let previous = -1;
    for (let i = from; i < to; i++) {
      record.varint(documents[i] - previous);
      record.varint(frequencies[i]);
      previous = documents[i];
    }
    const buffer = this.#buffer;
    buffer.varint(term);
    buffer.varint(to - from);
    buffer.varint53(collectionFrequency);
    buffer.varint(record.length);
    buffer.append(record.view());
    if (buffer.length > 1 << 19) this.#flush();
  }

  endSegment(): void {
    this.#flush();
    this.#segments[this.#segments.length - 1].end = this.#size;
  }

  #flush(): void {
    let written = 0;
    while (written < this.#buffer.length) {
      written += writeSync(this.#handle, this.#buffer.bytes, written, this.#buffer.length - written);
    }
    this.#size += written;
    this.#buffer.reset();
  }

  /** A cursor per segment, in the order of their documents. */
  cursors(bufferBytes: number): SpillCursor[] {
    return this.#segments.map(({ start, end }) => new SpillCursor(this.#handle, start, end, bufferBytes));
  }

  close(): void {
    closeSync(this.#handle);
    unlinkSync(this.#file);
  }
}

/** A cursor over the records of one segment; `postings` is valid until the next `advance`. */
export class SpillCursor {
  term = -1;
  documentFrequency = 0;
  collectionFrequency = 0;
  #reader = new ByteReader(new Uint8Array(0));
  #buffer: Uint8Array;
  #position: number;

  constructor(
    private readonly handle: number,
    start: number,
    private readonly end: number,
    bufferBytes: number,
  ) {
    this.#position = start;
    this.#buffer = new Uint8Array(bufferBytes);
  }

  /** Moves to the next term; false at the end. */
  advance(): boolean {
    // Four varints take at most 5 + 5 + 8 + 5 bytes.
    this.#ensure(23);
    if (this.#reader.atEnd) return false;
    this.term = this.#reader.varint();
    this.documentFrequency = this.#reader.varint();
    this.collectionFrequency = this.#reader.varint53();
    this.#ensure(this.#reader.varint());
    return true;
  }

  /** The current term's postings, to be read exactly once: `documentFrequency` pairs of gap and frequency. */
  get postings(): ByteReader {
    return this.#reader;
  }

  /** Makes at least `count` bytes, or all that are left, available from the reader's position on. */
  #ensure(count: number): void {
    const left = this.#reader.bytes.length - this.#reader.position;
    if (left >= count || this.#position >= this.end) return;
    if (this.#buffer.length < count) {
      this.#buffer = new Uint8Array(count * 2);
    }
    const rest = this.#reader.bytes.subarray(this.#reader.position);
    this.#buffer.set(rest, 0);
    const wanted = Math.min(this.#buffer.length - left, this.end - this.#position);
    let read = 0;
    while (read < wanted) {
      const got = readSync(this.handle, this.#buffer, left + read, wanted - read, this.#position + read);
      if (got === 0) break;
      read += got;
    }
    this.#position += read;
    this.#reader = new ByteReader(this.#buffer.subarray(0, left + read));
  }
}
