import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { flushToDiskSync } from '../../common/atomic.js';
import { reasonOf } from '../../common/errors.js';

/**
 * A file in blocks of 4 KiB, each with a checksum: 4092 bytes of content, then their CRC-32 as u32. The CRC starts
 * from the number of the block, so that a block in the wrong place is noticed too. The last block is filled with zeros.
 */
const BLOCK_BYTES = 4096;
export const BLOCK_CONTENT = BLOCK_BYTES - 4;
/** Blocks that are written at once, and read at once where much is read. */
const BLOCKS_AT_ONCE = 64;
/** Blocks of a file that is read when it is opened, to see whether it is of this index: 1 MB takes a millisecond. */
const BLOCKS_OF_SMALL = 256;
/** Blocks that a reader keeps (16 MB). */
const MAX_KEPT_BLOCKS = 4096;

/** The size and digest of a block file, as the manifest records them. */
export interface FileRecord {
  /** Bytes of content. */
  readonly bytes: number;
  /** SHA-256 of the checksums of all blocks. */
  readonly digest: string;
}

/** Writes a block file from its beginning to its end. */
export class BlockWriter {
  position = 0;
  #handle: number;
  readonly #buffer = Buffer.alloc(BLOCKS_AT_ONCE * BLOCK_BYTES);
  readonly #digest = createHash('sha256');
  /** Number of the block that is being filled, and the bytes in it. */
  #block = 0;
  #inBlock = 0;

  constructor(file: string) {
    this.#handle = openSync(file, 'wx');
  }

  write(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length;) {
      const count = Math.min(bytes.length - from, BLOCK_CONTENT - this.#inBlock);
      this.#buffer.set(bytes.subarray(from, from + count), this.#start() + this.#inBlock);
      from += count;
      this.#inBlock += count;
      this.position += count;
      if (this.#inBlock === BLOCK_CONTENT) this.#endBlock();
    }
  }

  /** Bytes of content that the current block can still take. */
  get room(): number {
    return BLOCK_CONTENT - this.#inBlock;
  }

  /** Fills the current block with zeros; the next byte begins a new one. */
  fillBlock(): void {
    if (this.#inBlock > 0) this.write(new Uint8Array(this.room));
  }

  /** Completes the file and flushes it to the disk. */
  finish(): FileRecord {
    const bytes = this.position;
    this.fillBlock();
    this.#flush(this.#block % BLOCKS_AT_ONCE);
    flushToDiskSync(this.#handle);
    this.close();
    return { bytes, digest: this.#digest.digest('hex') };
  }

  /** Closes the file, finished or not. */
  close(): void {
    if (this.#handle >= 0) closeSync(this.#handle);
    this.#handle = -1;
  }

  #start(): number {
    return (this.#block % BLOCKS_AT_ONCE) * BLOCK_BYTES;
  }

  #endBlock(): void {
    const start = this.#start();
    const end = start + BLOCK_CONTENT;
    this.#buffer.writeUInt32LE(crc32(this.#buffer.subarray(start, end), this.#block), end);
    this.#digest.update(this.#buffer.subarray(end, end + 4));
    this.#block++;
    this.#inBlock = 0;
    if (this.#block % BLOCKS_AT_ONCE === 0) this.#flush(BLOCKS_AT_ONCE);
  }

  #flush(blocks: number): void {
    const size = blocks * BLOCK_BYTES;
    for (let written = 0; written < size;) {
      written += writeSync(this.#handle, this.#buffer, written, size - written);
    }
  }
}

/** A part of an index file that is not as it was written. */
export class DamageError extends Error {
  override readonly name = 'DamageError';
}

/** A block file opened for reading. What it returns has the right checksum; for the rest it throws {@link DamageError}. */
export class BlockFile {
  readonly #handle: number;
  readonly #kept = new Map<number, Uint8Array>();

  constructor(
    private readonly file: string,
    /** Its record in the manifest. */
    readonly record: FileRecord,
  ) {
    this.#handle = openSync(file, 'r');
    try {
      const expected = this.blocks * BLOCK_BYTES;
      const { size } = fstatSync(this.#handle);
      if (size !== expected) throw new DamageError(`${file} has ${size} bytes instead of ${expected}`);
      if (this.blocks <= BLOCKS_OF_SMALL) this.requireRecorded();
    } catch (error) {
      closeSync(this.#handle);
      throw error;
    }
  }

  /** Bytes of content. */
  get bytes(): number {
    return this.record.bytes;
  }

  get blocks(): number {
    return Math.ceil(this.record.bytes / BLOCK_CONTENT);
  }

  close(): void {
    this.#kept.clear();
    closeSync(this.#handle);
  }

  /** The content of a block; not to be changed. */
  block(number: number): Uint8Array {
    let block = this.#kept.get(number);
    if (!block) {
      const bytes = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      this.#readBlocks(bytes, number, 1);
      block = bytes.subarray(0, BLOCK_CONTENT);
      if (this.#kept.size >= MAX_KEPT_BLOCKS) this.#kept.clear();
      this.#kept.set(number, block);
    }
    return block;
  }

  /** Content from one position to another; not to be changed. */
  read(from: number, to: number): Uint8Array {
    this.#checkRange(from, to);
    if (from === to) return new Uint8Array(0);
    const first = Math.floor(from / BLOCK_CONTENT);
    const start = from - first * BLOCK_CONTENT;
    if (start + (to - from) <= BLOCK_CONTENT) return this.block(first).subarray(start, start + (to - from));
    const bytes = new Uint8Array(to - from);
    this.readInto(bytes, from);
    return bytes;
  }

  /** Fills an array with the content from a position on. */
  readInto(target: Uint8Array, from: number): void {
    const to = from + target.length;
    this.#checkRange(from, to);
    const end = Math.ceil(to / BLOCK_CONTENT);
    for (let first = Math.floor(from / BLOCK_CONTENT); first < end; first += BLOCKS_AT_ONCE) {
      const count = Math.min(BLOCKS_AT_ONCE, end - first);
      this.#readBlocks(scratch, first, count);
      for (let i = 0; i < count; i++) {
        const at = (first + i) * BLOCK_CONTENT;
        const start = Math.max(from, at);
        const stop = Math.min(to, at + BLOCK_CONTENT);
        const offset = i * BLOCK_BYTES - at;
        target.set(scratch.subarray(offset + start, offset + stop), start - from);
      }
    }
  }

  /** Reads the file from end to end; returns the numbers of damaged blocks, and whether the digest is the recorded one. */
  verify(onBlocks: (blocks: number) => void = () => {}): { damaged: number[]; isRecorded: boolean } {
    const digest = createHash('sha256');
    const damaged: number[] = [];
    for (let first = 0; first < this.blocks; first += BLOCKS_AT_ONCE) {
      const count = Math.min(BLOCKS_AT_ONCE, this.blocks - first);
      scratch.fill(0);
      try {
        this.#load(scratch, first, count);
      } catch {
        // The blocks that could not be read have no checksum.
      }
      for (let i = 0; i < count; i++) {
        if (!isSound(scratch, i, first + i)) damaged.push(first + i);
        digest.update(scratch.subarray(i * BLOCK_BYTES + BLOCK_CONTENT, (i + 1) * BLOCK_BYTES));
      }
      onBlocks(count);
    }
    return { damaged, isRecorded: digest.digest('hex') === this.record.digest };
  }

  /** Throws where every block is sound, but the file is of another index. Reads all of it. */
  requireRecorded(): void {
    const { damaged, isRecorded } = this.verify();
    if (damaged.length === 0 && !isRecorded) {
      throw new DamageError(`${this.file} is not the one that the manifest describes`);
    }
  }

  #readBlocks(target: Buffer, first: number, count: number): void {
    this.#load(target, first, count);
    for (let i = 0; i < count; i++) {
      if (!isSound(target, i, first + i)) {
        throw new DamageError(`block ${first + i} of ${this.file} is damaged`);
      }
    }
  }

  /** Reads blocks as they are, damaged or not. */
  #load(target: Buffer, first: number, count: number): void {
    const size = count * BLOCK_BYTES;
    let read = 0;
    try {
      while (read < size) {
        const got = readSync(this.#handle, target, read, size - read, first * BLOCK_BYTES + read);
        if (got === 0) throw new Error('unexpected end');
        read += got;
      }
    } catch (error) {
      throw new DamageError(`${this.file} cannot be read (${reasonOf(error)})`, { cause: error });
    }
  }

  #checkRange(from: number, to: number): void {
    if (!(from >= 0 && from <= to && to <= this.bytes)) {
      throw new DamageError(`${this.file} ends at ${this.bytes}, before ${from} to ${to}`);
    }
  }
}

/** A buffer for blocks with their checksums, from which their content is copied. */
const scratch = Buffer.alloc(BLOCKS_AT_ONCE * BLOCK_BYTES);

/** Tells whether block `number` of a file, at place `i` in `bytes`, has its checksum. */
function isSound(bytes: Buffer, i: number, number: number): boolean {
  const start = i * BLOCK_BYTES;
  const end = start + BLOCK_CONTENT;
  return crc32(bytes.subarray(start, end), number) === bytes.readUInt32LE(end);
}
