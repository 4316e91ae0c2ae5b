import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folders.js';

/**
 * Machines without what CUDA needs: copies of this package and its runtime with provider libraries that name what they
 * need as real ones do, but hold nothing else.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));
const all = temporaryFolder();
const NATIVE = join('node_modules', 'onnxruntime-node', 'bin', 'napi-v6', 'linux', 'x64');

/** A 64-bit ELF library that needs others, and has nothing else. */
function libraryNeeding(names: readonly string[]): Uint8Array {
  const strings = Buffer.from(`\0${names.join('\0')}\0`);
  const [headers, entries] = [64 + 2 * 56, 16 * (names.length + 2)];
  const end = headers + entries + strings.length;
  const file = Buffer.alloc(end);
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]).copy(file);
  const number = (at: number, value: number) => file.writeBigUInt64LE(BigInt(value), at);
  file.writeUInt16LE(3, 16);
  file.writeUInt16LE(62, 18);
  number(32, 64);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(2, 56);
  // Two segments: the whole file is loaded; the second is the table of what is needed.
  for (const [i, [type, from, length]] of [
    [1, 0, end],
    [2, headers, entries],
  ].entries()) {
    const at = 64 + 56 * i;
    file.writeUInt32LE(type, at);
    for (const [field, value] of [
      [8, from],
      [16, from],
      [32, length],
      [40, length],
    ] as const) {
      number(at + field, value);
    }
  }
  names.forEach((name, i) => {
    number(headers + 16 * i, 1);
    number(headers + 16 * i + 8, strings.indexOf(`\0${name}\0`) + 1);
  });
  number(headers + 16 * names.length, 5);
  number(headers + 16 * names.length + 8, headers + entries);
  strings.copy(file, headers + entries);
  return file;
}

let machine: string;
beforeAll(() => {
  machine = join(all, 'machine');
  mkdirSync(join(machine, 'node_modules', 'onnxruntime-node'), { recursive: true });
  for (const name of ['dist', 'bin', 'package.json']) {
    cpSync(join(root, name), join(machine, name), { recursive: true });
  }
  const modules = join(root, 'node_modules');
  for (const name of readdirSync(modules)) {
    if (name === 'onnxruntime-node' || name.startsWith('.')) continue;
    symlinkSync(realpathSync(join(modules, name)), join(machine, 'node_modules', name));
  }
  const runtime = join(modules, 'onnxruntime-node');
  for (const name of ['dist', 'package.json']) {
    cpSync(join(runtime, name), join(machine, 'node_modules', 'onnxruntime-node', name), { recursive: true });
  }
  mkdirSync(join(machine, NATIVE), { recursive: true });
  for (const name of readdirSync(join(root, NATIVE))) {
    if (!/providers_(?:cuda|shared)/.test(name))
      copyFileSync(join(root, NATIVE, name), join(machine, NATIVE, name));
  }
});

/** The answer of `device list` about CUDA on a machine with these provider and system libraries. */
async function cudaWith(
  providerNeeds: readonly string[] | undefined,
  present: readonly string[] = [],
): Promise<string> {
  const folder = mkdtempSync(join(all, 'case-'));
  for (const name of ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so']) {
    if (providerNeeds) writeFileSync(join(machine, NATIVE, name), libraryNeeding(providerNeeds));
  }
  // Any library that can be loaded.
  const some = /\S+\/libm\.so\.6$/m.exec(readFileSync('/proc/self/maps', 'utf8'))![0];
  for (const name of present) copyFileSync(some, join(folder, name));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(machine, 'bin', 'bert-qe.js'), 'device', 'list', '--json'],
    { env: { ...process.env, LD_LIBRARY_PATH: folder } },
  );
  const states = JSON.parse(stdout) as { device: string; isUsable: boolean; detail: string }[];
  const { isUsable, detail } = states.find(({ device }) => device === 'cuda')!;
  expect(isUsable).toBe(false);
  expect(detail).toMatch(/^.+$/);
  return detail;
}

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('a machine', () => {
  it('without provider libraries is told how to install them', async () => {
    expect(await cudaWith(undefined)).toMatch(
      /^libonnxruntime_providers_shared\.so and libonnxruntime_providers_cuda\.so of onnxruntime \S+ missing: bert-qe device install cuda$/,
    );
  });

  it('without CUDA is told which of its parts are missing', async () => {
    expect(
      await cudaWith(['libc.so.6', 'libcudart.so.13', 'libcublas.so.13', 'libcudnn.so.9', 'libcuda.so.1']),
    ).toBe(
      'missing: the CUDA runtime (libcudart.so.13), cuBLAS (libcublas.so.13), cuDNN (libcudnn.so.9), the NVIDIA driver (libcuda.so.1)',
    );
  });

  it('with all but one library is told its name', async () => {
    const needed = ['libcudart.so.12', 'libcublas.so.12', 'libcudnn.so.9'];
    expect(await cudaWith(needed, needed.slice(0, 2))).toBe('missing: cuDNN (libcudnn.so.9)');
  });

  it('with another version of CUDA is told which one it has', async () => {
    const needed = ['libcudart.so.13', 'libcublas.so.13'];
    expect(await cudaWith(needed, ['libcudart.so.12', 'libcublas.so.12'])).toBe(
      'missing: the CUDA runtime (libcudart.so.13), cuBLAS (libcublas.so.13); the libraries installed are for CUDA 13, ' +
        'and this machine has CUDA 12: install those for CUDA 12',
    );
  });

  it('with libraries that cannot be loaded is told why', async () => {
    expect(await cudaWith(['libcudart.so.13'], ['libcudart.so.13'])).toMatch(/load|providers_/);
  });
});
