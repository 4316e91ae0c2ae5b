import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileUnder } from '../../src/server/http/index.js';
import { temporaryFolder } from '../support/folders.js';

describe('files under a folder', () => {
  it('are given by path; what is hidden, outside, or not a file is not', async () => {
    const outside = temporaryFolder();
    const folder = temporaryFolder();
    writeFileSync(join(outside, 'secret.txt'), 'secret');
    writeFileSync(join(folder, 'a.svg'), '<svg/>');
    mkdirSync(join(folder, 'inside'));
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'link.txt'));
    symlinkSync(join(folder, 'a.svg'), join(folder, 'inside', 'b.svg'));
    expect(await fileUnder(folder, 'a.svg')).toMatchObject({ type: 'image/svg+xml' });
    expect(await fileUnder(folder, 'inside/b.svg')).toBeDefined();
    for (const path of [
      'link.txt',
      '../secret.txt',
      'inside',
      '',
      'none',
      'a.svg\0',
      '..',
      'inside/../a.svg',
    ]) {
      expect(await fileUnder(folder, path)).toBeUndefined();
    }
  });
});
