import { type FileHandle, open } from 'node:fs/promises';
import { closedOnFailure } from '../../common/closing.js';
import { inputError } from '../../common/errors.js';
import { throwReadFailure } from '../../common/io-errors.js';
import { RandomAccess } from './random-access.js';

/** The largest single read: Node refuses 2 GiB. */
const READ_LIMIT = 1 << 30;

/** A file read at offsets. Every read is checked against the size found when it was opened. */
export class RandomAccessFile extends RandomAccess {
  private constructor(
    path: string,
    size: number,
    private readonly handle: FileHandle,
  ) {
    super(path, size);
  }

  static async open(path: string): Promise<RandomAccessFile> {
    const handle = await open(path, 'r').catch(throwReadFailure(path));
    return closedOnFailure(handle, async () => {
      const stat = await handle.stat();
      if (!stat.isFile()) throw inputError(`${path}: not a file`);
      const file = new RandomAccessFile(path, stat.size, handle);
      await file.refusePlaceholders();
      return file;
    });
  }

  protected async fill(bytes: Uint8Array, offset: number): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const wanted = Math.min(bytes.length - done, READ_LIMIT);
      const { bytesRead } = await this.handle.read(bytes, done, wanted, offset + done);
      if (bytesRead === 0) throw this.corrupt(`it was cut to ${offset + done} bytes while being read`);
      done += bytesRead;
    }
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
