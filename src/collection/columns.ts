import type { LineBlock } from './lines.js';

/**
 * Finds the columns (separated by blanks or tabs) of the lines of a block without making strings: runs and qrels have
 * millions of short lines. Empty lines and `#` comments are skipped.
 */
export class ColumnScanner {
  /** Number of the current line, 1-based. */
  line: number;
  count = 0;

  private readonly bytes: Buffer;
  private readonly encoding: 'latin1' | 'utf8';
  private position = 0;
  private nextLine: number;
  /** Start and end of the first columns; others are only counted. */
  private readonly starts = new Int32Array(maxColumns);
  private readonly ends = new Int32Array(maxColumns);

  constructor(block: LineBlock) {
    this.bytes = block.bytes;
    this.encoding = block.ascii ? 'latin1' : 'utf8';
    this.line = block.firstLine;
    this.nextLine = block.firstLine;
  }

  /** Moves to the next line with columns; false at the end of the block. */
  next(): boolean {
    const { bytes, starts, ends } = this;
    const size = bytes.length;
    let at = this.position;
    while (at < size) {
      this.line = this.nextLine++;
      let count = 0;
      for (;;) {
        let byte = at < size ? bytes[at] : newline;
        while (byte === 0x20 || byte === 0x09 || byte === 0x0d) byte = ++at < size ? bytes[at] : newline;
        if (byte === newline) break;
        const start = at;
        while (byte > 0x20 || (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== newline)) {
          byte = ++at < size ? bytes[at] : newline;
        }
        if (count < maxColumns) {
          starts[count] = start;
          ends[count] = at;
        }
        count++;
      }
      at++;
      if (count > 0 && bytes[starts[0]] !== hash) {
        this.count = count;
        this.position = at;
        return true;
      }
    }
    this.position = at;
    return false;
  }

  text(column: number): string {
    return this.bytes.toString(this.encoding, this.starts[column], this.ends[column]);
  }

  /** True where a column holds exactly these bytes. */
  equals(column: number, other: Uint8Array): boolean {
    const start = this.starts[column];
    if (this.ends[column] - start !== other.length) return false;
    for (let i = 0; i < other.length; i++) if (this.bytes[start + i] !== other[i]) return false;
    return true;
  }

  /** A copy of a column's bytes, for {@link equals}. */
  copy(column: number): Uint8Array {
    return Uint8Array.prototype.slice.call(this.bytes, this.starts[column], this.ends[column]);
  }

  /**
   * The number in a column; NaN where it is none. With at most 15 digits and a power of ten up to 22 both factors are
   * exact doubles, so one division rounds correctly (Clinger 1990); JavaScript's own parser reads all others.
   */
  number(column: number): number {
    const { bytes } = this;
    const start = this.starts[column];
    const end = this.ends[column];
    let at = start;
    const negative = bytes[at] === 0x2d;
    if (negative) at++;
    let digits = 0;
    let fraction = 0;
    let mantissa = 0;
    for (let seenPoint = false; at < end; at++) {
      const byte = bytes[at];
      if (byte === 0x2e && !seenPoint) {
        seenPoint = true;
      } else if (byte >= 0x30 && byte <= 0x39 && digits < 15) {
        mantissa = mantissa * 10 + (byte - 0x30);
        digits++;
        if (seenPoint) fraction++;
      } else {
        return parseNumber(this.text(column));
      }
    }
    if (digits === 0) return Number.NaN;
    const value = mantissa / powersOfTen[fraction];
    return negative ? -value : value;
  }
}

const maxColumns = 8;
const newline = 0x0a;
const hash = 0x23;
const powersOfTen = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/** Parses decimal notation only: `Number` also accepts `0x10`, and an empty string as 0. */
function parseNumber(text: string): number {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
}
