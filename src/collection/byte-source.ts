import { open } from 'node:fs/promises';
import { BertQeError, reasonOf } from '../common/errors.js';
import { readFailure, systemCode, throwReadFailure } from '../common/io-errors.js';
import { standardStream } from '../common/output.js';
import { badInput } from './bad-input.js';
import { gunzip } from './gunzip.js';
import { uncompress } from './uncompress.js';

const chunkBytes = 1 << 20;

/**
 * A file, or standard input for `-`, as a stream of unpacked bytes. Gzip (any number of members) and Unix
 * compress are recognised by their first bytes, whatever the name. It can be read once; `peek` looks ahead.
 */
export class ByteSource implements AsyncIterable<Buffer> {
  /** The line that the reader has reached, for messages about damaged data. */
  line: number | undefined;

  private rawBytes = 0;
  private unpackedBytes = 0;
  private packing: string | undefined;
  private peeked: Buffer = nothing;
  private iterator: AsyncIterator<Buffer> | undefined;

  constructor(
    /** The path, or `<stdin>`, for messages. */
    readonly name: string,
    private readonly chunks: AsyncIterable<Buffer>,
    /** Called with the number of bytes just read from the file, before unpacking. */
    private readonly onBytes?: (count: number) => void,
  ) {}

  static open(path: string, onBytes?: (count: number) => void): ByteSource {
    return path === standardStream
      ? new ByteSource('<stdin>', process.stdin as AsyncIterable<Buffer>, onBytes)
      : new ByteSource(path, fileChunks(path), onBytes);
  }

  /** The first `count` bytes, or fewer of a shorter source; iterating still yields them. */
  async peek(count: number): Promise<Buffer> {
    this.peeked = await takeAtLeast(count, this.peeked, () => this.pull());
    return this.peeked.subarray(0, count);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      const first = this.peeked;
      this.peeked = nothing;
      if (first.length > 0) yield first;
      for (let next = await this.pull(); next !== undefined; next = await this.pull()) yield next;
    } finally {
      await this.close();
    }
  }

  /** All bytes at once; `check` may refuse the size read so far. */
  async readAll(check: (size: number) => void = () => {}): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of this) {
      chunks.push(chunk);
      check((size += chunk.length));
    }
    return joined(chunks, size);
  }

  /** Closes the file, as iterating to the end or leaving the loop does too. */
  async close(): Promise<void> {
    this.peeked = nothing;
    await this.iterator?.return?.();
  }

  private async pull(): Promise<Buffer | undefined> {
    this.iterator ??= this.unpack();
    try {
      const result = await this.iterator.next();
      if (result.done) return undefined;
      this.unpackedBytes += result.value.length;
      return result.value;
    } catch (error) {
      throw this.explain(error);
    }
  }

  private async *unpack(): AsyncGenerator<Buffer> {
    const counted = this.countRaw();
    try {
      const first = await takeAtLeast(6, nothing, async () => (await counted.next()).value as Buffer);
      const whole = prepend(first, counted);
      if (first[0] === 0x1f && first[1] === 0x8b) {
        this.packing = 'gzip';
        yield* gunzip(whole);
      } else if (first[0] === 0x1f && first[1] === 0x9d) {
        this.packing = 'compress (.Z)';
        yield* uncompress(whole);
      } else {
        this.refuseOtherPacking(first);
        yield* whole;
      }
    } finally {
      await counted.return(undefined);
    }
  }

  private async *countRaw(): AsyncGenerator<Buffer> {
    for await (const chunk of this.chunks) {
      this.rawBytes += chunk.length;
      this.onBytes?.(chunk.length);
      yield chunk;
    }
  }

  private refuseOtherPacking(first: Buffer): void {
    const start = first.toString('hex', 0, 6);
    const found = otherPackings.find(({ magic }) => magic.test(start));
    if (found === undefined) return;
    throw badInput(
      { file: this.name },
      `the file is packed with ${found.program}, which is not read here`,
      `Unpack it first (${found.unpack}), or pack it with gzip.`,
    );
  }

  private explain(error: unknown): unknown {
    if (error instanceof BertQeError) return error;
    const code = systemCode(error);
    if (this.packing && code?.startsWith('Z_')) {
      const problem = code === 'Z_BUF_ERROR' ? 'is cut off' : `is damaged (${reasonOf(error)})`;
      const lines = this.line === undefined ? '' : `${(this.line - 1).toLocaleString('en')} whole lines, `;
      return badInput(
        this.line === undefined ? { file: this.name } : { file: this.name, line: this.line },
        `the ${this.packing} data ${problem} after ${this.rawBytes.toLocaleString('en')} packed bytes ` +
          `(${lines}${this.unpackedBytes.toLocaleString('en')} bytes unpacked)`,
        `Copy or download the file again; "gzip -t ${this.name}" must pass.`,
        error,
      );
    }
    return readFailure(this.name, error);
  }
}

/** Compressed formats that are not supported, by their first bytes in hexadecimal. */
const otherPackings = [
  { magic: /^425a683[1-9]3141/, program: 'bzip2', unpack: 'bzip2 -d' },
  { magic: /^fd377a585a00/, program: 'xz', unpack: 'xz -d' },
  { magic: /^28b52ffd/, program: 'zstd', unpack: 'zstd -d' },
  { magic: /^504b0304/, program: 'zip', unpack: 'unzip' },
];

async function* fileChunks(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r').catch(throwReadFailure(path));
  try {
    yield* file.createReadStream({ highWaterMark: chunkBytes, autoClose: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw readFailure(path, error);
  } finally {
    await file.close();
  }
}

const nothing = Buffer.alloc(0);

/** Some bytes and as many of the next ones as it takes to have `count`; fewer at the end. */
async function takeAtLeast(
  count: number,
  first: Buffer,
  pull: () => Promise<Buffer | undefined>,
): Promise<Buffer> {
  const taken = first.length > 0 ? [first] : [];
  let size = first.length;
  while (size < count) {
    const next = await pull();
    if (next === undefined) break;
    taken.push(next);
    size += next.length;
  }
  return joined(taken, size);
}

function joined(chunks: readonly Buffer[], size: number): Buffer {
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size);
}

async function* prepend(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* rest;
}
