import { BLOCK_CONTENT, type BlockFile } from './block-file.js';

/** The most postings that are kept in memory, in bytes. */
const MAX_BYTES = 128 << 20;

/** The postings of the terms that were used last. */
export class PostingsCache {
  /** By term number; the one used last comes last. */
  readonly #kept = new Map<number, LazyBytes>();
  #bytes = 0;

  constructor(private readonly file: BlockFile) {}

  get(term: number, start: number, end: number): LazyBytes {
    const found = this.#kept.get(term);
    if (found) this.#kept.delete(term);
    const postings = found ?? new LazyBytes(this.file, start, end);
    this.#kept.set(term, postings);
    return postings;
  }

  /** Calls {@link LazyBytes.ensure}; the postings of terms that were not used for long make room. */
  ensure(term: number, postings: LazyBytes, start: number, end: number): number {
    const before = postings.loaded;
    const loadedTo = postings.ensure(start, end);
    if (postings.loaded > before && this.#kept.get(term) === postings) {
      this.#bytes += postings.loaded - before;
      this.#makeRoom(term);
    }
    return loadedTo;
  }

  #makeRoom(used: number): void {
    for (const [term, { loaded }] of this.#kept) {
      if (this.#bytes <= MAX_BYTES || term === used) return;
      this.#kept.delete(term);
      this.#bytes -= loaded;
    }
  }
}

const PIECE_BYTES = 16 * BLOCK_CONTENT;

/**
 * A part of a block file in memory, read in pieces of 64 KB when they are first needed. Memory that is never needed
 * is never touched.
 */
export class LazyBytes {
  readonly bytes: Buffer;
  loaded = 0;
  /** 1 for each piece that is in memory. Pieces begin at multiples of {@link PIECE_BYTES} in the file. */
  readonly #isLoaded: Uint8Array;
  readonly #firstPiece: number;
  readonly #size: number;

  constructor(
    private readonly file: BlockFile,
    private readonly from: number,
    to: number,
  ) {
    this.#size = to - from;
    this.#firstPiece = Math.floor(from / PIECE_BYTES);
    this.#isLoaded = new Uint8Array(Math.ceil(to / PIECE_BYTES) - this.#firstPiece);
    // Zeroed, so that the system gives memory only where it is written to.
    this.bytes = Buffer.from(new ArrayBuffer(this.#size));
  }

  /** Has the bytes from `start` to `end` in memory; returns where the bytes that are in memory from `start` on end. */
  ensure(start: number, end: number): number {
    if (this.loaded === this.#size || start >= end) return this.#size;
    const last = this.#pieceOf(end - 1);
    for (let piece = this.#pieceOf(start); piece <= last; piece++) {
      if (this.#isLoaded[piece] === 0) this.#load(piece);
    }
    return Math.min(this.#size, (this.#firstPiece + last + 1) * PIECE_BYTES - this.from);
  }

  #pieceOf(place: number): number {
    return Math.floor((this.from + place) / PIECE_BYTES) - this.#firstPiece;
  }

  #load(piece: number): void {
    const at = (this.#firstPiece + piece) * PIECE_BYTES - this.from;
    const part = this.bytes.subarray(Math.max(0, at), Math.min(this.#size, at + PIECE_BYTES));
    this.file.readInto(part, this.from + Math.max(0, at));
    this.#isLoaded[piece] = 1;
    this.loaded += part.length;
  }
}
