import { type FileHandle, open } from 'node:fs/promises';
import { BertQeError } from '../../common/errors.js';
import { readFailure } from '../../common/io-errors.js';

/** The largest single read: Node refuses 2 GiB. */
const READ_LIMIT = 1 << 30;

/** A file read at offsets. Every read is checked against the size found when it was opened. */
export class RandomAccessFile {
  private constructor(
    readonly path: string,
    readonly size: number,
    private readonly handle: FileHandle,
  ) {}

  static async open(path: string): Promise<RandomAccessFile> {
    const handle = await open(path, 'r').catch((error: unknown) => {
      throw readFailure(path, error);
    });
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) throw new BertQeError('input', `${path}: not a file`);
      const file = new RandomAccessFile(path, stat.size, handle);
      await file.refusePlaceholders();
      return file;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    await this.readInto(bytes, offset);
    return bytes;
  }

  /** Fills all of `bytes` from the file, or throws. */
  async readInto(bytes: Uint8Array, offset: number): Promise<void> {
    if (offset < 0 || offset + bytes.length > this.size) {
      throw this.corrupt(
        `bytes ${offset}–${offset + bytes.length} were asked for, the file ends at ${this.size}`,
      );
    }
    for (let done = 0; done < bytes.length;) {
      const wanted = Math.min(bytes.length - done, READ_LIMIT);
      const { bytesRead } = await this.handle.read(bytes, done, wanted, offset + done);
      if (bytesRead === 0) throw this.corrupt(`it was cut to ${offset + done} bytes while being read`);
      done += bytesRead;
    }
  }

  corrupt(reason: string): BertQeError {
    return new BertQeError('corrupt', `${this.path}: ${reason}; download or convert it again`);
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  /** Refuses what failed downloads and unfetched clones leave in place of weights. */
  private async refusePlaceholders(): Promise<void> {
    if (this.size === 0) throw this.corrupt('the file is empty (0 bytes)');
    const head = Buffer.from(await this.read(0, Math.min(this.size, 64))).toString('latin1');
    if (head.startsWith('version https://git-lfs')) {
      throw new BertQeError(
        'input',
        `${this.path}: a Git LFS pointer, not the file itself; run "git lfs pull"`,
      );
    }
    if (/^\s*<(?:!doctype|html)/i.test(head)) throw this.corrupt('it holds a web page instead of weights');
  }
}
