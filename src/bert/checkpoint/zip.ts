import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { crc32, createInflateRaw } from 'node:zlib';
import { reasonOf } from '../../common/errors.js';
import { type Extent, layoutProblem } from './checkpoint-file.js';
import type { RandomAccessFile } from './random-access-file.js';

/** An entry of a zip archive and the place of its bytes. */
export interface ZipEntry extends Extent {
  /** The length of a deflated entry's content. */
  readonly inflatedLength?: number;
  /** CRC-32 of the content. */
  readonly crc: number;
}

const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
/** A limit on the central directory: that of the largest models is a few hundred kilobytes. */
const DIRECTORY_LIMIT = 1 << 28;

const STORED = 0;
const DEFLATED = 8;

/**
 * Lists a zip archive, ZIP64 included. Deflated entries are refused unless they are allowed. Sizes and offsets are
 * checked against the file and local headers against the directory; overlapping entries are refused.
 */
export async function readZip(
  file: RandomAccessFile,
  allowed: { readonly deflated?: boolean } = {},
): Promise<Map<string, ZipEntry>> {
  const directory = await findDirectory(file);
  const methods = allowed.deflated ? [STORED, DEFLATED] : [STORED];
  const bytes = await file.read(directory.offset, directory.length);
  const entries = new Map<string, ZipEntry>();
  for (const { header, ...entry } of parseDirectory(file, bytes, directory.count, methods)) {
    const { name } = entry;
    const local = view(await file.read(header, 30));
    if (local.getUint32(0, true) !== LOCAL)
      throw file.corrupt(`the zip entry "${name}" is not where it should be`);
    const offset = header + 30 + local.getUint16(26, true) + local.getUint16(28, true);
    if (entries.has(name)) throw file.corrupt(`the zip archive holds "${name}" twice`);
    entries.set(name, { ...entry, offset });
  }
  const problem = layoutProblem([...entries.values()], directory.offset);
  if (problem !== undefined) throw file.corrupt(problem);
  return entries;
}

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

async function findDirectory(
  file: RandomAccessFile,
): Promise<{ offset: number; length: number; count: number }> {
  const tailLength = Math.min(file.size, END_BYTES + LONGEST_COMMENT);
  const tailStart = file.size - tailLength;
  const tail = view(await file.read(tailStart, tailLength));
  let at = tailLength - END_BYTES;
  while (at >= 0 && tail.getUint32(at, true) !== END) at--;
  if (at < 0) throw file.corrupt('the zip archive has no end: truncated');

  let count = tail.getUint16(at + 10, true);
  let length = tail.getUint32(at + 12, true);
  let offset = tail.getUint32(at + 16, true);
  if (count === 0xffff || length === 0xffffffff || offset === 0xffffffff) {
    if (at < 20 || tail.getUint32(at - 20, true) !== LOCATOR_64)
      throw file.corrupt('its ZIP64 end is missing');
    const end64 = view(await file.read(asNumber(file, tail.getBigUint64(at - 12, true)), 56));
    if (end64.getUint32(0, true) !== END_64) throw file.corrupt('its ZIP64 end is damaged');
    count = asNumber(file, end64.getBigUint64(32, true));
    length = asNumber(file, end64.getBigUint64(40, true));
    offset = asNumber(file, end64.getBigUint64(48, true));
  }
  if (offset + length > tailStart + at || length > DIRECTORY_LIMIT) {
    throw file.corrupt('the directory of the zip archive lies outside the file');
  }
  return { offset, length, count };
}

function parseDirectory(
  file: RandomAccessFile,
  bytes: Uint8Array,
  count: number,
  methods: readonly number[],
): (Omit<ZipEntry, 'offset'> & { readonly header: number })[] {
  const data = view(bytes);
  const entries = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.length || data.getUint32(at, true) !== CENTRAL) {
      throw file.corrupt(`the zip archive lists ${count} entries but ends after ${i}`);
    }
    const nameLength = data.getUint16(at + 28, true);
    const extraLength = data.getUint16(at + 30, true);
    const extra = at + 46 + nameLength;
    const end = extra + extraLength + data.getUint16(at + 32, true);
    if (end > bytes.length) throw file.corrupt('the directory of the zip archive is damaged');
    const name = Buffer.from(bytes.subarray(at + 46, extra)).toString('utf8');
    if (data.getUint16(at + 8, true) & 1) throw file.corrupt(`the zip entry "${name}" is encrypted`);
    const method = data.getUint16(at + 10, true);
    if (!methods.includes(method)) throw file.corrupt(`the zip entry "${name}" is compressed`);

    // ZIP64 stores, in this order, only those of the three fields that did not fit.
    const wide = zip64Fields(data, extra, extra + extraLength);
    const field = (offset: number): number => {
      const value = data.getUint32(offset, true);
      if (value !== 0xffffffff) return value;
      const next = wide.shift();
      if (next === undefined) throw file.corrupt(`the zip entry "${name}" lacks its ZIP64 size`);
      return asNumber(file, next);
    };
    const content = field(at + 24);
    const length = field(at + 20);
    if (method === STORED && length !== content)
      throw file.corrupt(`the zip entry "${name}" states two sizes`);
    const inflated = method === DEFLATED ? { inflatedLength: content } : {};
    entries.push({ name, length, ...inflated, crc: data.getUint32(at + 16, true), header: field(at + 42) });
    at = end;
  }
  return entries;
}

function zip64Fields(data: DataView, from: number, to: number): bigint[] {
  for (let at = from; at + 4 <= to;) {
    const length = data.getUint16(at + 2, true);
    if (data.getUint16(at, true) === 1) {
      const fields: bigint[] = [];
      for (let i = at + 4; i + 8 <= Math.min(to, at + 4 + length); i += 8)
        fields.push(data.getBigUint64(i, true));
      return fields;
    }
    at += 4 + length;
  }
  return [];
}

function asNumber(file: RandomAccessFile, value: bigint): number {
  if (value > BigInt(file.size)) throw file.corrupt('the zip archive states a size beyond the file');
  return Number(value);
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
