import { isUtf8 } from 'node:buffer';
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteSource } from '../../src/collection/byte-source.js';
import { invalidUtf8At, linesOf, readLineBlocks, readLines } from '../../src/collection/lines.js';
import { collect, cut, expectRefusal, scratchFolder, sourceOf } from './support.js';

const scratch = scratchFolder();

async function textsOf(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  return (await collect(readLines(sourceOf(...chunks)))).map(({ text }) => text);
}

/** The obvious way, for whole strings. */
function naiveLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

describe('lines of a byte stream', () => {
  it('are those of a naive split, wherever the stream is cut', async () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\r\n', '\n\n', '\r', ' ', '\t', 'a', 'é', '漢', '😀', '\u0000'),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 40 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        async (pieces, places) => {
          const text = pieces.join('').replace(/^\ufeff+/, '');
          const bytes = Buffer.from(text);
          fc.pre(isUtf8(bytes) && bytes.toString() === text);
          const lines = await collect(readLines(sourceOf(...cut(bytes, places))));
          expect(lines.map((line) => line.text)).toEqual(naiveLines(text));
          expect(lines.map((line) => line.line)).toEqual(lines.map((_, i) => i + 1));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('may end in \\r\\n, lack the last line end, and follow a byte order mark', async () => {
    expect(await textsOf('\ufeffone\r\ntwo\r\n\r\nthree')).toEqual(['one', 'two', '', 'three']);
    expect(await textsOf(Buffer.from([0xef]), Buffer.from([0xbb, 0xbf, 0x61]), '\nb\n')).toEqual(['a', 'b']);
    expect(await textsOf('')).toEqual([]);
    expect(await textsOf('\n')).toEqual(['']);
  });

  it('come in blocks of whole lines that know their first line number', async () => {
    const blocks = await collect(readLineBlocks(sourceOf('first\nb', 'c\nd\n', 'é\n')));
    expect(blocks.map((block) => [block.firstLine, block.bytes.toString(), block.ascii])).toEqual([
      [1, 'first\n', true],
      [2, 'bc\nd\n', true],
      [4, 'é\n', false],
    ]);
    expect(linesOf(blocks[1]!)).toEqual([
      { text: 'bc', line: 2 },
      { text: 'd', line: 3 },
    ]);
  });
});

describe('bytes that are not UTF-8', () => {
  it('are refused with line, byte offset and how to convert', async () => {
    const latin1 = Buffer.concat([Buffer.from('ok é\nbad '), Buffer.from([0xe9]), Buffer.from(' line\n')]);
    await expectRefusal(collect(readLines(sourceOf(latin1))), [
      'test.txt:2: byte 10 (0xe9) is not valid UTF-8',
      'iconv -f latin1 -t utf-8',
    ]);
  });

  it('are found past a byte order mark, and in a later chunk', async () => {
    const chunks = ['\ufeffa\n', 'b\n', Buffer.from([0x63, 0xff, 0x0a])];
    await expectRefusal(collect(readLines(sourceOf(...chunks))), ['test.txt:3: byte 8 (0xff)']);
  });

  it('are recognised as UTF-16 where they begin like it', async () => {
    const utf16 = Buffer.from('\ufeff{"_id": "1"}\n', 'utf16le');
    await expectRefusal(collect(readLines(sourceOf(utf16))), [
      'test.txt:1: byte 0 (0xff)',
      'iconv -f utf-16 -t utf-8',
    ]);
  });

  it('include a character cut off at the end of the file', async () => {
    await expectRefusal(collect(readLines(sourceOf('ab', Buffer.from([0xe6, 0xbc])))), [
      'test.txt:1: byte 2 (0xe6)',
    ]);
  });

  it('begin where the validator of Node stops agreeing', () => {
    // The first and last bytes of each kind.
    const edges = Buffer.from('41c0c2e0edeff0f4f5808f909fa0bf', 'hex');
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 6 }).map((text) => Uint8Array.from(Buffer.from(text))),
      fc.array(fc.constantFrom(...edges), { maxLength: 8 }).map((list) => Uint8Array.from(list)),
    );
    fc.assert(
      fc.property(bytes, (input) => {
        const at = invalidUtf8At(input);
        if (at === -1) return isUtf8(input);
        return !isUtf8(input) && isUtf8(input.subarray(0, at));
      }),
      { numRuns: 5000 },
    );
  });
});

/** With a limit of ten bytes. */
function read(...chunks: string[]) {
  return collect(readLines(sourceOf(...chunks), 10));
}

describe('a line that is too long', () => {
  it('of 40 MB is refused with the limit, after the lines before it', async () => {
    const path = scratch('long.jsonl');
    const out = createWriteStream(path);
    out.write('{"_id": "1", "text": "short"}\n{"_id": "2", "text": "');
    const million = Buffer.alloc(1_000_000, 0x78);
    for (let i = 0; i < 40; i++) if (!out.write(million)) await once(out, 'drain');
    out.end('"}\n{"_id": "3", "text": "short"}\n');
    await once(out, 'close');
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { text } of readLines(ByteSource.open(path))) seen.push(text);
    })();
    await expectRefusal(reading, [
      `${path}:2: the line is longer than the limit of 32 MiB`,
      'split or remove',
    ]);
    expect(seen).toEqual(['{"_id": "1", "text": "short"}']);
  });

  it('is refused whether it ends or not, in one chunk or many, and one of just the limit is not', async () => {
    expect(await read('0123456789\nab\n', '0123456789')).toHaveLength(3);
    await expectRefusal(read('ab\n0123456789x\ncd\n'), ['test.txt:2:', '10 bytes']);
    await expectRefusal(read('ab\n01234', '56789', 'x\ncd\n'), ['test.txt:2:', '10 bytes']);
    await expectRefusal(read('ab\ncd\n0123456', '789x'), ['test.txt:3:', '10 bytes']);
  });
});
