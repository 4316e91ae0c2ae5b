import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteSource } from '../../src/collection/byte-source.js';
import { readLines } from '../../src/collection/lines.js';
import { lzwCompress } from './lzw-encoder.js';
import { collect, cut, expectRefusal, scratchFolder, sourceOf } from './support.js';

const scratch = scratchFolder();

async function bytesOf(source: ByteSource): Promise<Buffer> {
  return Buffer.concat(await collect(source));
}

describe('gzip', () => {
  it('is recognised by its first bytes, in any number of members, wherever the stream is cut', async () => {
    const members = fc.array(fc.uint8Array({ maxLength: 3000 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(members, fc.array(fc.nat(), { maxLength: 10 }), async (parts, places) => {
        const packed = Buffer.concat(parts.map((part) => gzipSync(part)));
        expect(await bytesOf(sourceOf(...cut(packed, places)))).toEqual(Buffer.concat(parts));
      }),
      { numRuns: 150 },
    );
  });

  it('cut off anywhere gives every line that could be read, then one clear line saying how far it got', async () => {
    const text = Array.from({ length: 400 }, (_, i) => `${i} ${Math.sin(i)}\n`).join('');
    const packed = gzipSync(text);
    for (let size = 20; size < packed.length; size += 97) {
      const path = scratch('cut.gz', packed.subarray(0, size));
      const lines: string[] = [];
      const read = async (): Promise<void> => {
        for await (const line of readLines(ByteSource.open(path))) lines.push(line.text);
      };
      const reading = read();
      await reading.catch(() => {});
      await expectRefusal(reading, [
        `${path}:${lines.length + 1}: the gzip data is cut off after ${size.toLocaleString('en')} packed bytes`,
        `(${lines.length} whole lines, `,
        'Copy or download the file again',
        `"gzip -t ${path}" must pass`,
      ]);
      expect(text.startsWith(lines.map((line) => `${line}\n`).join(''))).toBe(true);
      if (size > packed.length - 100) expect(lines.length).toBeGreaterThan(350);
    }
  });

  it('cut off inside its second member keeps the first', async () => {
    const packed = Buffer.concat([gzipSync('one\ntwo\n'), gzipSync('three\n').subarray(0, 15)]);
    const path = scratch('members.gz', packed);
    await expectRefusal(collect(readLines(ByteSource.open(path))), [
      `${path}:3: the gzip data is cut off`,
      '(2 whole lines, ',
    ]);
  });

  it('that was damaged says so', async () => {
    const packed = gzipSync('a line of text that is long enough to be damaged in the middle\n'.repeat(50));
    packed[packed.length - 6]! ^= 0xff;
    const path = scratch('damaged.gz', packed);
    await expectRefusal(collect(readLines(ByteSource.open(path))), [
      path,
      'the gzip data is damaged',
      'gzip -t',
    ]);
  });

  it('may be followed by zero padding, as tapes do', async () => {
    const packed = Buffer.concat([gzipSync('text\n'), Buffer.alloc(512)]);
    expect((await bytesOf(sourceOf(packed))).toString()).toBe('text\n');
  });
});

/** Words in random order: enough of them to widen the codes up to 16 bits and to clear the table. */
function words(count: number): Buffer {
  let state = 12345;
  const next = (): number => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
  return Buffer.from(
    Array.from({ length: count }, () => Math.floor(next() ** 3 * 40000).toString(36)).join(' '),
  );
}

describe('Unix compress (.Z)', () => {
  it.each([
    ['9 bits', words(50), 16],
    ['up to 16 bits', words(60_000), 16],
    ['at most 12 bits, then frozen', words(20_000), 12],
    ['one byte', Buffer.from('x'), 16],
    ['runs of one letter', Buffer.alloc(5000, 0x61), 16],
  ])('is unpacked: %s, and gzip -d agrees', async (_name, content, maxBits) => {
    const packed = lzwCompress(content, maxBits);
    expect(execFileSync('gzip', ['-dc'], { input: packed, maxBuffer: 1 << 26 }).equals(content)).toBe(true);
    expect((await bytesOf(sourceOf(packed))).equals(content)).toBe(true);
  });

  it('is unpacked after the table was cleared', async () => {
    const content = words(9000);
    const packed = lzwCompress(content, 10, { clearEvery: 700 });
    expect(execFileSync('gzip', ['-dc'], { input: packed, maxBuffer: 1 << 26 }).equals(content)).toBe(true);
    expect((await bytesOf(sourceOf(packed))).equals(content)).toBe(true);
  });

  it('does not mind where the stream is cut', async () => {
    const content = words(3000);
    const packed = lzwCompress(content, 11, { clearEvery: 500 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 20 }), async (places) => {
        expect((await bytesOf(sourceOf(...cut(packed, places)))).equals(content)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('that is no such thing is refused', async () => {
    await expectRefusal(bytesOf(sourceOf(Buffer.from([0x1f, 0x9d, 0x9f, 1, 2, 3, 4]))), [
      'compress (.Z) data is damaged',
    ]);
    await expectRefusal(bytesOf(sourceOf(Buffer.from([0x1f, 0x9d, 0x90, 0xff, 0xff, 3, 4]))), [
      'refers to nothing',
    ]);
  });
});

describe('other files', () => {
  it.each([
    ['bzip2', Buffer.from('BZh91AY&SY....'), 'bzip2 -d'],
    ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0]), 'xz -d'],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0]), 'zstd -d'],
    ['zip', Buffer.from([0x50, 0x4b, 3, 4, 0, 0]), 'unzip'],
  ])('packed with %s are refused with the program that unpacks them', async (program, bytes, unpack) => {
    const path = scratch(`packed.${program}`, bytes);
    await expectRefusal(bytesOf(ByteSource.open(path)), [
      `${path}: the file is packed with ${program}`,
      unpack,
    ]);
  });

  it('that are missing, or folders, are named', async () => {
    await expectRefusal(
      bytesOf(ByteSource.open(scratch('nowhere'))),
      [scratch('nowhere'), 'no such file', 'Check the path'],
      'missing',
    );
    await expectRefusal(bytesOf(ByteSource.open(scratch('.'))), [
      'this is a folder, but a file was expected',
    ]);
  });
});

function openFiles(): number {
  return readdirSync('/proc/self/fd').length;
}

describe('a byte source', () => {
  it('shows its first bytes without losing them', async () => {
    const source = sourceOf('ab', 'cd', 'ef');
    expect((await source.peek(3)).toString()).toBe('abc');
    expect((await source.peek(1)).toString()).toBe('a');
    expect((await source.peek(100)).toString()).toBe('abcdef');
    expect((await bytesOf(source)).toString()).toBe('abcdef');
  });

  it('reports the bytes of the file, not the unpacked ones', async () => {
    const packed = gzipSync('x'.repeat(100_000));
    let read = 0;
    const source = ByteSource.open(scratch('progress.gz', packed), (count) => (read += count));
    expect(await bytesOf(source)).toHaveLength(100_000);
    expect(read).toBe(packed.length);
  });

  it.runIf(process.platform === 'linux')('lets go of the file when the reader stops early', async () => {
    const path = scratch('large.txt', `${'x'.repeat(999)}\n`.repeat(3000));
    const refused = scratch('refused.zip', Buffer.from([0x50, 0x4b, 3, 4, 0, 0]));
    const before = openFiles();
    for (let i = 0; i < 20; i++) {
      for await (const { line } of readLines(ByteSource.open(path))) if (line === 3) break;
      const peeking = ByteSource.open(path);
      await peeking.peek(10);
      await peeking.close();
      await bytesOf(ByteSource.open(refused)).catch(() => {});
    }
    expect(openFiles()).toBe(before);
  });
});
