import { BertQeError, corruptError, inputError } from '../../common/errors.js';

/** Bytes that are read at offsets: a file, or a download in memory. */
export abstract class RandomAccess {
  constructor(
    /** Names it in messages. */
    readonly path: string,
    readonly size: number,
  ) {}

  abstract close(): Promise<void>;

  /** Fills all of `bytes`, which lie within the size. */
  protected abstract fill(bytes: Uint8Array, offset: number): Promise<void>;

  async read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    await this.readInto(bytes, offset);
    return bytes;
  }

  /** Fills all of `bytes`, or throws. */
  async readInto(bytes: Uint8Array, offset: number): Promise<void> {
    if (offset < 0 || offset + bytes.length > this.size) {
      throw this.corrupt(
        `bytes ${offset}–${offset + bytes.length} were asked for, the file ends at ${this.size}`,
      );
    }
    await this.fill(bytes, offset);
  }

  corrupt(reason: string): BertQeError {
    return corruptError(`${this.path}: ${reason}; download or convert it again`);
  }

  /** Refuses what failed downloads and unfetched clones leave in place of weights. */
  async refusePlaceholders(): Promise<void> {
    if (this.size === 0) throw this.corrupt('the file is empty (0 bytes)');
    const head = String.fromCharCode(...(await this.read(0, Math.min(this.size, 64))));
    if (head.startsWith('version https://git-lfs')) {
      throw inputError(`${this.path}: a Git LFS pointer, not the file itself; run "git lfs pull"`);
    }
    if (/^\s*<(?:!doctype|html)/i.test(head)) throw this.corrupt('it holds a web page instead of weights');
  }
}

/**
 * The most bytes that a compressed file of a model may unpack to: rounded weights take a quarter to a tenth of theirs. A
 * file of a few megabytes can be made to unpack to gigabytes.
 */
export function mostUnpacked(packedBytes: number): number {
  return Math.max(64 * packedBytes, 64 * 1024 * 1024);
}

/** A download in memory. */
export class MemoryFile extends RandomAccess {
  constructor(
    path: string,
    private readonly content: Uint8Array,
  ) {
    super(path, content.length);
  }

  async close(): Promise<void> {}

  protected async fill(bytes: Uint8Array, offset: number): Promise<void> {
    bytes.set(this.content.subarray(offset, offset + bytes.length));
  }
}
