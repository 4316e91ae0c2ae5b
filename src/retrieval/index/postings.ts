import { ByteWriter } from './bytes.js';

/**
 * A term's postings, as stored: documents ascending, in blocks of {@link BLOCK_SIZE}.
 *
 *   u32 blocks
 *   u32 lastDocument[blocks]  u32 end[blocks]  u32 maxFrequency[blocks]  u32 minLength[blocks]  f32 maxDph[blocks]
 *   per posting: varint (gap << 1 | frequency is 1), then varint frequency unless it is 1
 *
 * The five columns are what dynamic pruning needs without decoding a block: BM25 and QL rise with the frequency and
 * fall with the length, so (maxFrequency, minLength) bounds them; DPH is neither, but has no parameters, so its
 * largest value in the block is stored itself. Gaps run on across blocks: a block starts from the last document of
 * the one before.
 */
export const BLOCK_SIZE = 128;
const COLUMNS = 5;

/** The largest DPH value (query-term weight 1) in a block is computed by the caller, who knows the statistics. */
export type DphOf = (frequency: number, length: number) => number;

/** Encodes the postings of one term after another; `finish` hands out bytes valid until the next `start`. */
export class PostingsEncoder {
  readonly #data = new ByteWriter();
  readonly #out = new ByteWriter();
  readonly #lastDocument: number[] = [];
  readonly #end: number[] = [];
  readonly #maxFrequency: number[] = [];
  readonly #minLength: number[] = [];
  readonly #maxDph: number[] = [];
  readonly #lengths: Uint32Array;
  #dph: DphOf = () => 0;
  #previous = -1;
  #inBlock = 0;
  #blockMaxFrequency = 0;
  #blockMinLength = 0;
  #blockMaxDph = 0;
  /** Number of postings since `start`. */
  documentFrequency = 0;

  constructor(lengths: Uint32Array) {
    this.#lengths = lengths;
  }

  start(dph: DphOf): void {
    this.#data.reset();
    for (const column of [this.#lastDocument, this.#end, this.#maxFrequency, this.#minLength, this.#maxDph]) {
      column.length = 0;
    }
    this.#dph = dph;
    this.#previous = -1;
    this.documentFrequency = 0;
    this.#openBlock();
  }

  add(document: number, frequency: number): void {
    const gap = document - this.#previous;
    // gap << 1 would overflow 32 bits in a collection of more than 2^31 documents; LMDB keys stop before that.
    if (frequency === 1) {
      this.#data.varint(((gap << 1) | 1) >>> 0);
    } else {
      this.#data.varint((gap << 1) >>> 0);
      this.#data.varint(frequency);
    }
    this.#previous = document;
    this.documentFrequency++;
    const length = this.#lengths[document];
    if (frequency > this.#blockMaxFrequency) this.#blockMaxFrequency = frequency;
    if (length < this.#blockMinLength) this.#blockMinLength = length;
    const dph = this.#dph(frequency, length);
    if (dph > this.#blockMaxDph) this.#blockMaxDph = dph;
    if (++this.#inBlock === BLOCK_SIZE) this.#closeBlock();
  }

  finish(): Uint8Array {
    if (this.#inBlock > 0) this.#closeBlock();
    const blocks = this.#lastDocument.length;
    const out = this.#out;
    out.reset();
    out.reserve(4 * (1 + COLUMNS * blocks) + this.#data.length);
    const header = new DataView(out.bytes.buffer, out.bytes.byteOffset, 4 * (1 + COLUMNS * blocks));
    header.setUint32(0, blocks, true);
    const integers = [this.#lastDocument, this.#end, this.#maxFrequency, this.#minLength];
    for (let c = 0; c < integers.length; c++) {
      for (let b = 0; b < blocks; b++) header.setUint32(4 * (1 + c * blocks + b), integers[c][b], true);
    }
    for (let b = 0; b < blocks; b++) {
      header.setFloat32(4 * (1 + integers.length * blocks + b), roundUpToFloat32(this.#maxDph[b]), true);
    }
    out.length = header.byteLength;
    out.append(this.#data.view());
    return out.view();
  }

  #openBlock(): void {
    this.#inBlock = 0;
    this.#blockMaxFrequency = 0;
    this.#blockMinLength = 0xffff_ffff;
    this.#blockMaxDph = Number.NEGATIVE_INFINITY;
  }

  #closeBlock(): void {
    this.#lastDocument.push(this.#previous);
    this.#end.push(this.#data.length);
    this.#maxFrequency.push(this.#blockMaxFrequency);
    this.#minLength.push(this.#blockMinLength);
    this.#maxDph.push(this.#blockMaxDph);
    this.#openBlock();
  }
}

/** Rounding to the nearest float32 could fall below the true maximum and make pruning unsafe. */
export function roundUpToFloat32(value: number): number {
  const rounded = Math.fround(value);
  if (rounded >= value) return rounded;
  const bits = new Int32Array(1);
  const float = new Float32Array(bits.buffer);
  float[0] = rounded;
  // Away from zero for positive numbers, towards it for negative ones; zero itself becomes the smallest float.
  if (rounded === 0) return 1.401298464324817e-45;
  bits[0] += rounded > 0 ? 1 : -1;
  return float[0];
}

/** A term's postings opened for reading: block columns as typed arrays over the stored bytes, no copy. */
export class Postings {
  readonly blocks: number;
  readonly lastDocument: Uint32Array;
  readonly end: Uint32Array;
  readonly maxFrequency: Uint32Array;
  readonly minLength: Uint32Array;
  readonly maxDph: Float32Array;
  readonly data: Uint8Array;
  /** The documents of the decoded block. */
  readonly documents = new Int32Array(BLOCK_SIZE);
  /** Their term frequencies. */
  readonly frequencies = new Int32Array(BLOCK_SIZE);
  readonly documentFrequency: number;

  constructor(stored: Uint8Array, documentFrequency: number) {
    // Typed arrays want an aligned start; LMDB gives one except for values inside a leaf page.
    const bytes = stored.byteOffset % 4 === 0 ? stored : stored.slice();
    const { buffer, byteOffset } = bytes;
    const [blocks] = new Uint32Array(buffer, byteOffset, 1);
    const column = (index: number) => new Uint32Array(buffer, byteOffset + 4 * (1 + index * blocks), blocks);
    this.blocks = blocks;
    this.lastDocument = column(0);
    this.end = column(1);
    this.maxFrequency = column(2);
    this.minLength = column(3);
    this.maxDph = new Float32Array(buffer, byteOffset + 4 * (1 + 4 * blocks), blocks);
    this.data = bytes.subarray(4 * (1 + COLUMNS * blocks));
    this.documentFrequency = documentFrequency;
  }

  /** Decodes block `block` into `documents` and `frequencies`; returns how many postings it holds. */
  decode(block: number): number {
    const { data, documents, frequencies } = this;
    let at = block === 0 ? 0 : this.end[block - 1];
    const end = this.end[block];
    let document = block === 0 ? -1 : this.lastDocument[block - 1];
    let n = 0;
    while (at < end) {
      let byte = data[at++];
      let code = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = data[at++];
        code |= (byte & 127) << shift;
      }
      document += code >>> 1;
      let frequency = 1;
      if ((code & 1) === 0) {
        byte = data[at++];
        frequency = byte & 127;
        for (let shift = 7; byte > 127; shift += 7) {
          byte = data[at++];
          frequency |= (byte & 127) << shift;
        }
      }
      documents[n] = document;
      frequencies[n++] = frequency;
    }
    return n;
  }

  /** The first block, from `from` on, that can hold `document`; `blocks` if none can. */
  seek(document: number, from: number): number {
    const { lastDocument } = this;
    let low = from;
    // Most seeks go a block or two ahead: gallop first, then halve.
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
