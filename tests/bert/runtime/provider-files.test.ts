import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { missingCudaFiles, neededLibraries } from '../../../src/bert/runtime/provider-files.js';
import { runtimeFolder } from '../../../src/bert/runtime/runtime-package.js';
import { temporaryFolder } from '../../support/folders.js';

const folder = temporaryFolder();

describe('the libraries of the runtime', () => {
  it.runIf(process.platform === 'linux')('tell which libraries they need', async () => {
    const needed = await neededLibraries(join(runtimeFolder(), 'libonnxruntime.so.1'));
    expect(needed).toEqual(expect.arrayContaining(['libstdc++.so.6', 'libc.so.6']));
  });

  it('are refused when they are no libraries', async () => {
    const path = join(folder, 'text.so');
    writeFileSync(path, 'no library '.repeat(20));
    await expect(neededLibraries(path)).rejects.toThrow('it is not a 64-bit ELF library');
  });

  it('lack those for CUDA in an empty folder', () => {
    expect(missingCudaFiles(folder)).toEqual([
      'libonnxruntime_providers_shared.so',
      'libonnxruntime_providers_cuda.so',
    ]);
  });
});
