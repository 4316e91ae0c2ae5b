import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { installCuda } from '../../../src/bert/index.js';
import { temporaryFolder } from '../../support/folders.js';
import { zipOf } from './zip-file.js';

const all = temporaryFolder();
const SHARED = 'libonnxruntime_providers_shared.so';
const CUDA = 'libonnxruntime_providers_cuda.so';
const contents = { [SHARED]: 'shared '.repeat(100), [CUDA]: 'cuda '.repeat(50_000) };
const capi = (name: string) => `onnxruntime/capi/${name}`;

const sha256 = (text: string) => createHash('sha256').update(text);
const record = Object.entries(contents)
  .map(([name, text]) => `${capi(name)},sha256=${sha256(text).digest('base64url')},${text.length}\n`)
  .join('');
const wheel = {
  ...Object.fromEntries(Object.entries(contents).map(([name, text]) => [capi(name), text])),
  'onnxruntime_gpu-1.2.3.dist-info/RECORD': `${record}onnxruntime_gpu-1.2.3.dist-info/RECORD,,\n`,
};

let runtime: string;
let archive: string;

beforeEach(() => {
  const folder = mkdtempSync(join(all, 'case-'));
  vi.stubEnv('BERT_QE_CACHE', join(folder, 'cache'));
  runtime = join(folder, 'runtime');
  mkdirSync(runtime);
  archive = join(folder, 'package');
});
afterEach(() => vi.unstubAllEnvs());

const install = (version = '1.2.3', source: string | undefined = archive) =>
  installCuda({ folder: runtime, version, ...(source === undefined ? {} : { source }) });

function expectInstalled(): void {
  for (const [name, text] of Object.entries(contents)) {
    expect(readFileSync(join(runtime, name), 'utf8')).toBe(text);
  }
}

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('the libraries for CUDA', () => {
  it('are taken from a wheel of the runtime’s version, with their sizes and hashes', async () => {
    writeFileSync(archive, zipOf(wheel));
    expect(await install()).toEqual(
      Object.entries(contents).map(([name, text]) => ({
        name,
        bytes: text.length,
        sha256: sha256(text).digest('hex'),
      })),
    );
    expectInstalled();
  });

  it('are taken from the package for .NET', async () => {
    const entries = Object.entries(contents).map(([name, text]) => [
      `runtimes/linux-x64/native/${name}`,
      text,
    ]);
    const description = '<package><metadata><version>1.2.3</version></metadata></package>';
    writeFileSync(
      archive,
      zipOf({ 'Microsoft.ML.OnnxRuntime.Gpu.Linux.nuspec': description, ...Object.fromEntries(entries) }),
    );
    await install();
    expectInstalled();
  });

  it('are taken from a folder that holds the runtime of the same version', async () => {
    mkdirSync(archive);
    for (const [name, text] of Object.entries(contents)) writeFileSync(join(archive, name), text);
    await expect(install()).rejects.toThrow('no libonnxruntime.so.1.2.3 there');
    writeFileSync(join(archive, 'libonnxruntime.so.1.2.3'), '');
    await install();
    expectInstalled();
  });

  it('are kept, so that a new runtime folder needs no package', async () => {
    await expect(installCuda({ folder: runtime, version: '1.2.3' })).rejects.toThrow(
      'pip download --no-deps onnxruntime-gpu==1.2.3',
    );
    writeFileSync(archive, zipOf(wheel));
    await install();
    rmSync(archive);
    rmSync(runtime, { recursive: true });
    mkdirSync(runtime);
    await installCuda({ folder: runtime, version: '1.2.3' });
    expectInstalled();
  });

  it('are refused when they are of another version, or of nothing known', async () => {
    writeFileSync(archive, zipOf(wheel));
    await expect(install('1.2.4')).rejects.toThrow('it is of version 1.2.3; version 1.2.4 is needed');
    writeFileSync(archive, zipOf({ 'readme.txt': 'hello' }));
    await expect(install()).rejects.toThrow('neither a wheel of onnxruntime-gpu nor its package for .NET');
  });

  it('are refused when they are damaged, and nothing is installed', async () => {
    const other = contents[CUDA].replace('cuda', 'CUDA');
    writeFileSync(archive, zipOf(wheel, { name: capi(CUDA), content: other }));
    await expect(install()).rejects.toThrow(`"${capi(CUDA)}" is not what the archive states`);
    writeFileSync(archive, zipOf({ ...wheel, [capi(CUDA)]: other }));
    await expect(install()).rejects.toThrow(`"${capi(CUDA)}" is not what the archive states`);
    expect(existsSync(join(runtime, CUDA))).toBe(false);
  });
});
