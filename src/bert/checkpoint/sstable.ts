import { FieldReader } from './field-reader.js';
import { maskedCrc32c } from './crc32c.js';
import type { RandomAccessFile } from './random-access-file.js';

const MAGIC = 0xdb4775248b80fb57n;
const FOOTER_BYTES = 48;
/** The trailer of each block: one byte of compression type and the checksum. */
const TRAILER_BYTES = 5;

interface Handle {
  readonly offset: number;
  readonly length: number;
}

/**
 * All entries of a LevelDB table (an SSTable) in key order: a footer that points to the index block, which
 * points to data blocks of prefix-compressed keys. Every block's checksum is verified.
 */
export async function readTable(file: RandomAccessFile): Promise<Map<string, Uint8Array>> {
  if (file.size < FOOTER_BYTES)
    throw file.corrupt(`only ${file.size} bytes, too short for a checkpoint index`);
  const footer = new FieldReader(await file.read(file.size - FOOTER_BYTES, FOOTER_BYTES));
  readHandle(footer);
  const indexHandle = readHandle(footer);
  footer.position = FOOTER_BYTES - 8;
  if (footer.uint64() !== MAGIC)
    throw file.corrupt('not a checkpoint index, or truncated: its last bytes are wrong');

  const entries = new Map<string, Uint8Array>();
  for (const [, value] of await readBlock(file, indexHandle)) {
    for (const [key, bytes] of await readBlock(file, readHandle(new FieldReader(value)))) {
      if (entries.has(key)) throw file.corrupt(`the index holds "${key}" twice`);
      entries.set(key, bytes);
    }
  }
  return entries;
}

function readHandle(reader: FieldReader): Handle {
  return { offset: reader.varint(), length: reader.varint() };
}

async function readBlock(
  file: RandomAccessFile,
  { offset, length }: Handle,
): Promise<[string, Uint8Array][]> {
  if (offset + length + TRAILER_BYTES > file.size - FOOTER_BYTES) {
    throw file.corrupt(`a block at bytes ${offset}–${offset + length} lies outside the index`);
  }
  const bytes = await file.read(offset, length + TRAILER_BYTES);
  const trailer = new FieldReader(bytes.subarray(length));
  const compression = trailer.uint8();
  if (maskedCrc32c(bytes.subarray(0, length + 1)) !== trailer.uint32()) {
    throw file.corrupt(`the checksum of the block at byte ${offset} is wrong`);
  }
  if (compression !== 0) {
    const name = compression === 1 ? 'Snappy' : `method ${compression}`;
    throw file.corrupt(`its blocks are compressed (${name}), which TensorFlow's own checkpoints never are`);
  }
  return parseBlock(bytes.subarray(0, length));
}

/** The entries of a block, whose keys share a prefix with the key before; its restart points are not needed. */
function parseBlock(bytes: Uint8Array): [string, Uint8Array][] {
  const reader = new FieldReader(bytes);
  reader.position = bytes.length - 4;
  const restarts = reader.uint32();
  const end = bytes.length - 4 - 4 * restarts;
  if (end < 0) throw new RangeError(`${restarts} restart points in a block of ${bytes.length} bytes`);
  reader.position = 0;
  const entries: [string, Uint8Array][] = [];
  let key = Buffer.alloc(0);
  while (reader.position < end) {
    const shared = reader.varint();
    const unshared = reader.varint();
    const valueLength = reader.varint();
    if (shared > key.length) throw new RangeError(`a key shares ${shared} bytes with one of ${key.length}`);
    key = Buffer.concat([key.subarray(0, shared), reader.take(unshared)]);
    entries.push([key.toString('utf8'), reader.take(valueLength)]);
  }
  if (reader.position !== end) throw new RangeError('an entry runs over the end of its block');
  return entries;
}
