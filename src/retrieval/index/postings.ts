import { grown } from '../../common/concat.js';
import {
  bitsNeeded,
  bitsSet,
  pack,
  packBitmap,
  unpack,
  unpackBitmap,
  unpackOne,
  unpackSums,
  wordsNeeded,
} from './bit-packing.js';

/**
 * The stored form of a term's postings: documents ascending, in blocks of {@link BLOCK_SIZE}.
 *
 *   u32 blocks
 *   u32 lastDocument[blocks]  u32 start[blocks]  u32 maxFrequency[blocks]  u32 minLength[blocks]  f32 maxDph[blocks]
 *   per block: u32 (count | gapBits << 8 | frequencyBits << 16), documents, frequencies - 1 bit-packed
 *
 * The documents of a block are their gaps - 1, bit-packed. In dense blocks gapBits is {@link BITMAP}, and the documents
 * are a bitmap that begins after the last document of the block before, so that a single document can be looked up
 * without decoding the block.
 *
 * Dynamic pruning needs the five columns only. BM25 and QL rise with the frequency and fall with the length, so
 * (maxFrequency, minLength) bounds them. DPH is not monotone but has no parameters, so its maximum in the block is
 * stored. Gaps continue across blocks: a block starts from the last document of the block before.
 */
export const BLOCK_SIZE = 128;
const COLUMNS = 5;

/** The value of gapBits for a block whose documents are a bitmap. */
const BITMAP = 0xff;
/** The most words of a bitmap; other blocks are bit-packed. */
const MAX_BITMAP_WORDS = 32;

/** The DPH score of a posting with query-term weight 1. */
export type DphOf = (frequency: number, length: number) => number;

/** An encoder of postings, one term after another; the bytes of `finish` are valid until the next `start`. */
export class PostingsEncoder {
  #dph: DphOf = () => 0;
  #words = new Uint32Array(1 << 12);
  #used = 0;
  #out = new Uint32Array(1 << 12);
  /** Of each block: its last document, start, largest frequency, smallest length and largest DPH. */
  readonly #columns: readonly number[][] = Array.from({ length: COLUMNS }, () => []);
  readonly #gaps = new Uint32Array(BLOCK_SIZE);
  readonly #frequencies = new Uint32Array(BLOCK_SIZE);
  #previous = -1;
  #inBlock = 0;
  #blockMaxGap = 0;
  #blockMaxFrequency = 0;
  #blockMinLength = 0;
  #blockMaxDph = 0;
  /** Number of postings since `start`. */
  documentFrequency = 0;

  constructor(private readonly lengths: Uint32Array) {}

  start(dph: DphOf): void {
    this.#used = 0;
    for (const column of this.#columns) column.length = 0;
    this.#dph = dph;
    this.#previous = -1;
    this.documentFrequency = 0;
    this.#openBlock();
  }

  add(document: number, frequency: number): void {
    const gap = document - this.#previous - 1;
    this.#gaps[this.#inBlock] = gap;
    this.#frequencies[this.#inBlock] = frequency - 1;
    if (gap > this.#blockMaxGap) this.#blockMaxGap = gap;
    this.#previous = document;
    this.documentFrequency++;
    const length = this.lengths[document];
    if (frequency > this.#blockMaxFrequency) this.#blockMaxFrequency = frequency;
    if (length < this.#blockMinLength) this.#blockMinLength = length;
    const dph = this.#dph(frequency, length);
    if (dph > this.#blockMaxDph) this.#blockMaxDph = dph;
    if (++this.#inBlock === BLOCK_SIZE) this.#closeBlock();
  }

  finish(): Uint8Array {
    if (this.#inBlock > 0) this.#closeBlock();
    const [lastDocument, start, maxFrequency, minLength, maxDph] = this.#columns;
    const blocks = lastDocument.length;
    const header = 1 + COLUMNS * blocks;
    const size = header + this.#used;
    if (this.#out.length < size) this.#out = new Uint32Array(2 * size);
    const out = this.#out;
    out[0] = blocks;
    [lastDocument, start, maxFrequency, minLength].forEach((column, i) => out.set(column, 1 + i * blocks));
    new Float32Array(out.buffer, 4 * (1 + 4 * blocks), blocks).set(maxDph.map(roundUpToFloat32));
    out.set(this.#words.subarray(0, this.#used), header);
    return new Uint8Array(out.buffer, 0, 4 * size);
  }

  #openBlock(): void {
    this.#inBlock = 0;
    this.#blockMaxGap = 0;
    this.#blockMaxFrequency = 0;
    this.#blockMinLength = 0xffff_ffff;
    this.#blockMaxDph = Number.NEGATIVE_INFINITY;
  }

  #closeBlock(): void {
    const count = this.#inBlock;
    const first = (this.#columns[0].at(-1) ?? -1) + 1;
    const bitmapWords = wordsNeeded(this.#previous - first + 1, 1);
    const gapBits = bitmapWords <= MAX_BITMAP_WORDS ? BITMAP : bitsNeeded(this.#blockMaxGap);
    const frequencyBits = bitsNeeded(this.#blockMaxFrequency - 1);
    const documentWords = gapBits === BITMAP ? bitmapWords : wordsNeeded(count, gapBits);
    const end = this.#used + 1 + documentWords + wordsNeeded(count, frequencyBits);
    if (end > this.#words.length) this.#words = grown(this.#words, end);
    const words = this.#words;
    words.fill(0, this.#used, end);
    words[this.#used] = count | (gapBits << 8) | (frequencyBits << 16);
    if (gapBits === BITMAP) packBitmap(this.#gaps, count, words, this.#used + 1);
    else pack(this.#gaps, count, gapBits, words, this.#used + 1);
    pack(this.#frequencies, count, frequencyBits, words, this.#used + 1 + documentWords);
    const block = [
      this.#previous,
      this.#used,
      this.#blockMaxFrequency,
      this.#blockMinLength,
      this.#blockMaxDph,
    ];
    block.forEach((value, column) => this.#columns[column].push(value));
    this.#used = end;
    this.#openBlock();
  }
}

/** The next float32 that is not below the value: with a lower maximum, pruning would be wrong. */
export function roundUpToFloat32(value: number): number {
  const rounded = Math.fround(value);
  if (rounded >= value) return rounded;
  const bits = new Int32Array(1);
  const float = new Float32Array(bits.buffer);
  float[0] = rounded;
  // Away from zero for positive numbers, towards it for negative ones; zero becomes the smallest float.
  if (rounded === 0) return 1.401298464324817e-45;
  bits[0] += rounded > 0 ? 1 : -1;
  return float[0];
}

/** A term's postings opened for reading; the columns are typed arrays over the stored bytes, without copying. */
export class Postings {
  readonly blocks: number;
  readonly lastDocument: Int32Array;
  readonly maxFrequency: Int32Array;
  readonly minLength: Int32Array;
  readonly maxDph: Float32Array;
  private readonly start: Int32Array;
  private readonly words: Int32Array;
  private readonly dataAt: number;
  /** A range of `words` that is in memory. */
  private loadedFrom = 0;
  private loadedTo = 0;
  /** The documents of the decoded block. */
  readonly documents = new Int32Array(BLOCK_SIZE);
  private readonly frequencies = new Int32Array(BLOCK_SIZE);
  /** The number of postings in the opened block, and the last document before the block. */
  count = 0;
  private before = 0;
  private gapBits = 0;
  private documentsAt = 0;
  private frequenciesAt = 0;
  private frequencyBits = 0;
  /** The position of {@link find} in the opened bitmap: a word, and the number of postings before it. */
  private word = 0;
  private rank = 0;

  constructor(
    bytes: Uint8Array,
    readonly documentFrequency: number,
    /** Has a range of the bytes in memory; returns where the bytes that are in memory from its start on end. */
    private readonly ensure: (start: number, end: number) => number = () => bytes.length,
  ) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
    ensure(0, 4);
    const blocks = words[0] >>> 0;
    this.dataAt = 4 * (1 + COLUMNS * blocks);
    ensure(0, this.dataAt);
    const column = (index: number) => words.subarray(1 + index * blocks, 1 + (index + 1) * blocks);
    this.blocks = blocks;
    this.lastDocument = column(0);
    this.start = column(1);
    this.maxFrequency = column(2);
    this.minLength = column(3);
    this.maxDph = new Float32Array(bytes.buffer, bytes.byteOffset + 4 * (1 + 4 * blocks), blocks);
    this.words = words.subarray(1 + COLUMNS * blocks);
  }

  /** Opens a block for the methods below; true where {@link find} can search it. */
  open(block: number): boolean {
    const start = this.start[block];
    const end = block + 1 < this.blocks ? this.start[block + 1] : this.words.length;
    if (start < this.loadedFrom || end > this.loadedTo) this.load(start, end);
    const head = this.words[start];
    const count = head & 0xff;
    const gapBits = (head >>> 8) & 0xff;
    const before = block === 0 ? -1 : this.lastDocument[block - 1];
    const bitmap = gapBits === BITMAP;
    this.count = count;
    this.before = before;
    this.gapBits = gapBits;
    this.documentsAt = start + 1;
    this.frequenciesAt =
      start + 1 + (bitmap ? wordsNeeded(this.lastDocument[block] - before, 1) : wordsNeeded(count, gapBits));
    this.frequencyBits = head >>> 16;
    this.word = 0;
    this.rank = 0;
    return bitmap;
  }

  private load(start: number, end: number): void {
    const loadedTo = this.ensure(this.dataAt + 4 * start, this.dataAt + 4 * end);
    this.loadedFrom = start;
    this.loadedTo = Math.floor((loadedTo - this.dataAt) / 4);
  }

  /** Opens a block and decodes its documents; returns how many postings it holds. */
  decode(block: number): number {
    const { documents, words } = this;
    if (this.open(block)) unpackBitmap(words, this.documentsAt, this.count, documents, this.before + 1);
    else unpackSums(words, this.documentsAt, this.count, this.gapBits, documents, this.before);
    return this.count;
  }

  /**
   * The place of a document among the postings of the opened block; -1 without a posting. The block must be a bitmap that
   * does not end before the document, and calls must ask for ascending documents.
   */
  find(document: number): number {
    const { words, documentsAt } = this;
    const bit = document - this.before - 1;
    const at = bit >> 5;
    const bits = words[documentsAt + at];
    if (((bits >>> bit) & 1) === 0) return -1;
    let { word, rank } = this;
    if (word < at) {
      do rank += bitsSet(words[documentsAt + word++]);
      while (word < at);
      this.word = word;
      this.rank = rank;
    }
    return rank + bitsSet(bits & ~(-1 << bit));
  }

  /** All term frequencies of the opened block. */
  decodeFrequencies(): Int32Array {
    const { frequencies } = this;
    unpack(this.words, this.frequenciesAt, this.count, this.frequencyBits, frequencies, 1);
    return frequencies;
  }

  /** The term frequency of one posting of the opened block. */
  frequency(index: number): number {
    return unpackOne(this.words, this.frequenciesAt, index, this.frequencyBits) + 1;
  }

  /** The first block from `from` on that can hold `document`; `blocks` where none can. */
  seek(document: number, from: number): number {
    const { lastDocument } = this;
    let low = from;
    // Most seeks advance by a block or two: galloping, then binary search.
    let step = 1;
    while (low < this.blocks && lastDocument[low] < document) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low, this.blocks);
    low = Math.max(from, low - (step >> 1));
    while (low < high) {
      const middle = (low + high) >> 1;
      if (lastDocument[middle] < document) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
