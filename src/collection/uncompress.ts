/**
 * Unpacks the output of Unix `compress` (.Z), in which TREC disks 4 and 5 were distributed: LZW with codes of
 * 9 up to 16 bits, least significant bit first. Codes come in groups of eight; when the width changes or the
 * table is cleared, the rest of the group is padding.
 */
export async function* uncompress(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let lzw: LzwDecoder | undefined;
  let waiting: Buffer = Buffer.alloc(0);
  for await (const chunk of input) {
    waiting = waiting.length > 0 ? Buffer.concat([waiting, chunk]) : chunk;
    if (lzw === undefined) {
      if (waiting.length < 3) continue;
      lzw = new LzwDecoder(waiting[2]);
      waiting = waiting.subarray(3);
    }
    const { output, used } = lzw.decode(waiting);
    waiting = waiting.subarray(used);
    if (output.length > 0) yield output;
  }
}

const clearCode = 256;

class LzwDecoder {
  private readonly maxBits: number;
  private readonly blockMode: boolean;
  private readonly prefix: Uint16Array;
  private readonly suffix: Uint8Array;
  private width = 9;
  private free: number;
  private previous = -1;
  private firstByte = 0;
  /** Bits used since the last change of width, and bits of padding still to skip. */
  private groupBits = 0;
  private skip = 0;
  /** Bits of the last, partly used byte that belong to codes that were read. */
  private bitOffset = 0;
  /** A decoded string, last byte first. */
  private readonly reversed: Uint8Array;
  private output = Buffer.allocUnsafe(1 << 16);
  private size = 0;

  constructor(flags: number) {
    this.maxBits = flags & 0x1f;
    this.blockMode = (flags & 0x80) !== 0;
    if (this.maxBits < 9 || this.maxBits > 16) throw damaged(`code width ${this.maxBits} is not 9 to 16`);
    this.free = this.blockMode ? 257 : 256;
    this.prefix = new Uint16Array(1 << this.maxBits);
    this.suffix = new Uint8Array(1 << this.maxBits);
    this.reversed = new Uint8Array((1 << this.maxBits) + 1);
  }

  /** Decodes every whole code; the first `used` bytes of the input are no longer needed. */
  decode(bytes: Buffer): { output: Buffer; used: number } {
    const end = bytes.length * 8;
    let bit = this.bitOffset;
    for (;;) {
      if (this.skip > 0) {
        const step = Math.min(this.skip, end - bit);
        bit += step;
        this.skip -= step;
        if (this.skip > 0) break;
      }
      if (this.free > (1 << this.width) - 1 && this.width < this.maxBits) {
        this.endGroup();
        this.width++;
        continue;
      }
      if (bit + this.width > end) break;
      const at = bit >> 3;
      const window = bytes[at] | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
      const code = (window >> (bit & 7)) & ((1 << this.width) - 1);
      bit += this.width;
      this.groupBits += this.width;
      this.accept(code);
    }
    this.bitOffset = bit & 7;
    const output = Buffer.from(this.output.subarray(0, this.size));
    this.size = 0;
    return { output, used: bit >> 3 };
  }

  private accept(code: number): void {
    if (code === clearCode && this.blockMode && this.previous >= 0) {
      this.endGroup();
      this.width = 9;
      // The entry made after a clear takes the place of the clear code and is never used.
      this.free = clearCode;
      return;
    }
    let length = 0;
    let walk = code;
    if (code >= this.free) {
      if (code > this.free || this.previous < 0) throw damaged(`code ${code} refers to nothing`);
      this.reversed[length++] = this.firstByte;
      walk = this.previous;
    } else if (this.previous < 0 && code > 255) {
      throw damaged(`the first code is ${code}`);
    }
    for (; walk > 255; walk = this.prefix[walk]) this.reversed[length++] = this.suffix[walk];
    this.firstByte = walk;
    this.reversed[length++] = walk;
    this.emit(length);
    if (this.previous >= 0 && this.free < 1 << this.maxBits) {
      this.prefix[this.free] = this.previous;
      this.suffix[this.free++] = walk;
    }
    this.previous = code;
  }

  private endGroup(): void {
    const group = this.width * 8;
    this.skip = (group - (this.groupBits % group)) % group;
    this.groupBits = 0;
  }

  private emit(length: number): void {
    if (this.size + length > this.output.length) {
      this.output = Buffer.concat([this.output], Math.max(this.output.length * 2, this.size + length));
    }
    for (let i = length - 1; i >= 0; i--) this.output[this.size++] = this.reversed[i];
  }
}

/** An error with zlib's code for damaged data, so that both have the same message. */
function damaged(reason: string): Error {
  return Object.assign(new Error(reason), { code: 'Z_DATA_ERROR' });
}
