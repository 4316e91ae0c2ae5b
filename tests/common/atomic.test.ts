import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeFileAtomic } from '../../src/common/atomic.js';
import { writeOutput } from '../../src/common/output.js';
import { expectRefusal } from '../collection/support.js';
import { temporaryFolder } from '../support/folders.js';

const root = temporaryFolder();
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(root, 'files-'));
});

async function* failingPieces() {
  yield 'x'.repeat(2_000_000);
  throw new RangeError('out of ideas');
}

describe('an atomic write', () => {
  it('takes text, bytes, and pieces of both, small and large', async () => {
    const path = join(folder, 'file');
    await writeFileAtomic(path, 'text é');
    expect(readFileSync(path, 'utf8')).toBe('text é');
    await writeFileAtomic(path, Uint8Array.of(1, 2, 255));
    expect([...readFileSync(path)]).toEqual([1, 2, 255]);
    const large = 'x'.repeat(3_000_000);
    await writeFileAtomic(path, ['a', large, Buffer.from('b'), large]);
    expect(readFileSync(path, 'utf8')).toBe(`a${large}b${large}`);
    await writeFileAtomic(path, []);
    expect(statSync(path).size).toBe(0);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('shows readers the old file until the new one is whole', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'old');
    async function* pieces() {
      for (let i = 0; i < 3; i++) {
        yield 'x'.repeat(2_000_000);
        expect(readFileSync(path, 'utf8')).toBe('old');
      }
    }
    await writeFileAtomic(path, pieces());
    expect(statSync(path).size).toBe(6_000_000);
  });

  it('leaves the old file and nothing else when the data’s producer fails', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'old');
    await expect(writeFileAtomic(path, failingPieces())).rejects.toThrow(RangeError);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('keeps the mode of the file and the link to it', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    symlinkSync('file', join(folder, 'link'));
    await writeFileAtomic(join(folder, 'link'), 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
  });

  it('names the file and the fix when there is no folder, or the file is one', async () => {
    await expectRefusal(
      writeFileAtomic(join(folder, 'no', 'file'), 'x'),
      ['no/file: the folder to write into', 'mkdir -p'],
      'missing',
    );
    await expectRefusal(writeFileAtomic(folder, 'x'), [`${folder}: this is a folder`], 'input');
  });

  it.runIf(process.platform === 'linux')(
    'writes straight to what is not a regular file, and does not replace it',
    async () => {
      await writeFileAtomic('/dev/null', ['x', 'y']);
      expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
      await expectRefusal(
        writeFileAtomic('/dev/full', 'x'),
        ['/dev/full: no room left', 'Free some disk space'],
        'failure',
      );
    },
  );

  it.runIf(process.platform === 'linux')(
    'with no room left keeps the old file and removes the unfinished one',
    () => {
      // A limit on the size of files is the full disk that a test can make without special rights.
      const path = join(folder, 'file');
      writeFileSync(path, 'old');
      const module = new URL('../../src/common/atomic.ts', import.meta.url).href;
      const script = `
      const { writeFileAtomic } = await import(${JSON.stringify(module)});
      await writeFileAtomic(${JSON.stringify(path)}, ['x'.repeat(3_000_000), 'y'.repeat(3_000_000)]).then(
        () => console.log('written'),
        (error) => console.log(error.code + ': ' + error.message),
      );`;
      const command = `ulimit -f 2000 && exec "${process.execPath}" --import tsx --input-type=module -e "$SCRIPT"`;
      const output = execFileSync('bash', ['-c', command], {
        env: { ...process.env, SCRIPT: script },
        encoding: 'utf8',
      });
      expect(output).toContain(`failure: ${path}: no room left to write this file`);
      expect(output).toContain('what was there before is unchanged');
      expect(readFileSync(path, 'utf8')).toBe('old');
      expect(readdirSync(folder)).toEqual(['file']);
    },
  );
});

const failing = (code: string): Writable =>
  new Writable({
    write: (_chunk, _encoding, done) =>
      done(Object.assign(new Error(code), { code, errno: -1, syscall: 'write' })),
  });

describe('output', () => {
  it('goes to the file that is named', async () => {
    await writeOutput(join(folder, 'out'), 'x');
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('x');
  });

  it('goes to standard output for "-", at the reader’s pace', async () => {
    let written = '';
    let waiting = 0;
    const slow = new Writable({
      highWaterMark: 4,
      write(chunk, _encoding, done) {
        waiting++;
        setTimeout(() => {
          written += String(chunk);
          waiting--;
          done();
        }, 1);
      },
    });
    let produced = 0;
    async function* pieces() {
      for (let i = 0; i < 20; i++) {
        produced++;
        expect(slow.writableLength).toBeLessThan(20);
        yield `${i}-------\n`;
      }
    }
    await writeOutput('-', pieces(), slow);
    expect(produced).toBe(20);
    expect(waiting).toBe(0);
    expect(written.split('\n')).toHaveLength(21);
    expect(slow.listenerCount('error')).toBe(0);
  });

  it('ends quietly when the reader has gone, and says so when the disk is full', async () => {
    const lines = Array.from({ length: 100 }, (_, i) => `${i}\n`);
    await writeOutput('-', lines, failing('EPIPE'));
    await expectRefusal(
      writeOutput('-', lines, failing('ENOSPC')),
      ['standard output: no room left'],
      'failure',
    );
  });
});
