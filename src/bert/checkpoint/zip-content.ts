import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { crc32, createInflateRaw } from 'node:zlib';
import { reasonOf } from '../../common/errors.js';
import type { RandomAccessFile } from './random-access-file.js';
import type { ZipEntry } from './zip.js';

/** The content of an entry; fails at its end if size, checksum or hash differ from those stated. */
export async function* zipContent(
  file: RandomAccessFile,
  entry: ZipEntry,
  sha256?: string,
): AsyncGenerator<Uint8Array> {
  const { name, offset, length, inflatedLength, crc } = entry;
  if (length === 0) return;
  const stored = createReadStream(file.path, { start: offset, end: offset + length - 1 });
  const blocks = inflatedLength === undefined ? stored : stored.pipe(createInflateRaw());
  const hash = createHash('sha256');
  let sum = 0;
  let bytes = 0;
  try {
    for await (const block of blocks as AsyncIterable<Buffer>) {
      sum = crc32(block, sum);
      hash.update(block);
      bytes += block.length;
      yield block;
    }
  } catch (error) {
    throw file.corrupt(`the entry "${name}" cannot be read (${reasonOf(error)})`);
  }
  const isWhole = bytes === (inflatedLength ?? length) && sum === crc;
  if (!isWhole || (sha256 !== undefined && hash.digest('hex') !== sha256)) {
    throw file.corrupt(`the entry "${name}" is not what the archive states`);
  }
}
