import { open } from 'node:fs/promises';
import { BertQeError, reasonOf } from '../common/errors.js';
import { readFailure, systemCode, throwReadFailure } from '../common/io-errors.js';
import { standardStream } from '../common/output.js';
import { badInput } from './bad-input.js';
import { gunzip } from './gunzip.js';
import { uncompress } from './uncompress.js';

const chunkBytes = 1 << 20;

export interface ByteSourceOptions {
  /** Called with the number of bytes just read from the file, before unpacking. */
  readonly onBytes?: (count: number) => void;
}

/**
 * A file, or standard input for `-`, as a stream of unpacked bytes. Gzip (any number of members) and Unix
 * compress are recognised by their first bytes, whatever the name. It can be read once; `peek` looks ahead.
 */
export class ByteSource implements AsyncIterable<Buffer> {
  /** The path, or `<stdin>`, for messages. */
  readonly name: string;
  /** The line that the reader has reached, for messages about damaged data. */
  line: number | undefined;

  private readonly raw: AsyncIterable<Buffer>;
  private readonly onBytes: ((count: number) => void) | undefined;
  private rawBytes = 0;
  private unpackedBytes = 0;
  private packing: string | undefined;
  private peeked: Buffer[] = [];
  private iterator: AsyncIterator<Buffer> | undefined;

  constructor(name: string, chunks: AsyncIterable<Buffer>, options: ByteSourceOptions = {}) {
    this.name = name;
    this.raw = chunks;
    this.onBytes = options.onBytes;
  }

  static open(path: string, options: ByteSourceOptions = {}): ByteSource {
    if (path === standardStream) {
      return new ByteSource('<stdin>', process.stdin as AsyncIterable<Buffer>, options);
    }
    return new ByteSource(path, fileChunks(path), options);
  }

  /** The first `count` bytes, or fewer of a shorter source; iterating still yields them. */
  async peek(count: number): Promise<Buffer> {
    let size = this.peeked.reduce((sum, chunk) => sum + chunk.length, 0);
    while (size < count) {
      const next = await this.pull();
      if (next === undefined) break;
      this.peeked.push(next);
      size += next.length;
    }
    const all = Buffer.concat(this.peeked, size);
    this.peeked = size > 0 ? [all] : [];
    return all.subarray(0, count);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const next = this.peeked.shift() ?? (await this.pull());
        if (next === undefined) return;
        yield next;
      }
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
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
  }

  /** Closes the file, as iterating to the end or leaving the loop does too. */
  async close(): Promise<void> {
    this.peeked = [];
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
      const first = await takeAtLeast(counted, 6);
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
    for await (const chunk of this.raw) {
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

/** Joins chunks from the front until they hold `count` bytes, or all. */
async function takeAtLeast(chunks: AsyncGenerator<Buffer>, count: number): Promise<Buffer> {
  const taken: Buffer[] = [];
  let size = 0;
  while (size < count) {
    const result = await chunks.next();
    if (result.done) break;
    taken.push(result.value);
    size += result.value.length;
  }
  return taken.length === 1 ? taken[0]! : Buffer.concat(taken, size);
}

async function* prepend(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* rest;
}
