import { isAscii, isUtf8 } from 'node:buffer';
import { lastPlace } from '../common/order.js';
import { badInput } from './bad-input.js';
import type { ByteSource } from './byte-source.js';

/** A line of a text file, without its line end. */
interface TextLine {
  readonly text: string;
  /** 1-based. */
  readonly line: number;
}

/**
 * Whole lines as bytes: valid UTF-8, each ended by `\n`, except perhaps the file's last. Readers of short lines parse
 * the bytes directly: a string per line would cost more than the parsing.
 */
export interface LineBlock {
  readonly bytes: Buffer;
  /** Number of the block's first line, 1-based. */
  readonly firstLine: number;
  /** True when no byte is above 127, so that latin1 decoding, a plain copy, is exact. */
  readonly ascii: boolean;
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/** Bytes of the longest line; longer ones are refused as damage. */
const usualLineBytes = 32 << 20;

/** Cuts a byte stream into blocks of whole lines and checks that they are UTF-8; a byte order mark is skipped. */
export async function* readLineBlocks(
  source: ByteSource,
  maxLineBytes = usualLineBytes,
): AsyncGenerator<LineBlock> {
  let line = 1;
  /** Position of the next block in the unpacked stream. */
  let offset = 0;
  let carry: Buffer[] = [];
  let carried = 0;
  source.line = 1;

  const makeBlock = (bytes: Buffer): LineBlock => {
    const skip = offset === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    const block = { bytes: bytes.subarray(skip), firstLine: line, ascii: isAscii(bytes.subarray(skip)) };
    if (bytes.length > maxLineBytes) checkLengths(source.name, block, maxLineBytes);
    if (!block.ascii && !isUtf8(block.bytes)) throw notUtf8(source.name, block, offset + skip);
    offset += bytes.length;
    line += countNewlines(bytes);
    source.line = line;
    return block;
  };

  for await (const chunk of source) {
    const last = chunk.lastIndexOf(newline);
    if (last === -1) {
      carry.push(chunk);
      carried += chunk.length;
    } else {
      const head = chunk.subarray(0, last + 1);
      const bytes = carried > 0 ? Buffer.concat([...carry, head], carried + head.length) : head;
      carry = last + 1 < chunk.length ? [chunk.subarray(last + 1)] : [];
      carried = chunk.length - last - 1;
      yield makeBlock(bytes);
    }
    if (carried > maxLineBytes) throw tooLong(source.name, line, maxLineBytes);
  }
  if (carried > 0) yield makeBlock(Buffer.concat(carry, carried));
}

/** The lines of a block as strings; `\r\n` ends a line too. */
export function linesOf(block: LineBlock): TextLine[] {
  const { bytes, ascii, firstLine } = block;
  const lines: TextLine[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = lineEnd(bytes, start);
    const textEnd = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end;
    const latin1 = ascii || isAscii(bytes.subarray(start, textEnd));
    const text = bytes.toString(latin1 ? 'latin1' : 'utf8', start, textEnd);
    lines.push({ text, line: firstLine + lines.length });
    start = end + 1;
  }
  return lines;
}

/** Reads line by line; {@link readLineBlocks} with {@link linesOf} is faster. */
export async function* readLines(source: ByteSource, maxLineBytes?: number): AsyncGenerator<TextLine> {
  for await (const block of readLineBlocks(source, maxLineBytes)) {
    for (const line of linesOf(block)) yield line;
  }
}

function lineEnd(bytes: Buffer, start: number): number {
  const found = bytes.indexOf(newline, start);
  return found === -1 ? bytes.length : found;
}

export function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}

function tooLong(file: string, line: number, limit: number): Error {
  const size = limit >= 1 << 20 ? `${limit / (1 << 20)} MiB` : `${limit} bytes`;
  return badInput(
    { file, line },
    `the line is longer than the limit of ${size}`,
    'Check that this is a text file with one record per line, and split or remove the record.',
  );
}

function checkLengths(file: string, block: LineBlock, limit: number): void {
  let line = block.firstLine;
  for (let start = 0; start < block.bytes.length; line++) {
    const end = lineEnd(block.bytes, start);
    if (end - start > limit) throw tooLong(file, line, limit);
    start = end + 1;
  }
}

function notUtf8(file: string, { bytes, firstLine }: LineBlock, blockOffset: number): Error {
  const at = invalidUtf8At(bytes);
  const line = firstLine + countNewlines(bytes.subarray(0, at));
  const position = blockOffset + at;
  const byte = `0x${bytes[at].toString(16).padStart(2, '0')}`;
  const utf16 = position === 0 && (bytes[0] === 0xff || bytes[0] === 0xfe);
  return badInput(
    { file, line },
    `byte ${position} (${byte}) is not valid UTF-8`,
    utf16
      ? 'It looks like UTF-16: convert the file first (iconv -f utf-16 -t utf-8).'
      : 'Convert the file first, for example from Latin-1 (iconv -f latin1 -t utf-8).',
  );
}

/** The first byte at which text stops being UTF-8; -1 where it does not. */
export function invalidUtf8At(bytes: Uint8Array): number {
  if (isUtf8(bytes)) return -1;
  /** The longest valid beginning up to a place, which may cut a character of four bytes. */
  const validUpTo = (end: number): number | undefined =>
    [end, end - 1, end - 2, end - 3].find((at) => at >= 0 && isUtf8(bytes.subarray(0, at)));
  return validUpTo(lastPlace(bytes.length + 1, (end) => validUpTo(end) !== undefined))!;
}
