import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bertTensorShapes, openCheckpoint, writeSafetensors } from '../../../src/bert/checkpoint/index.js';
import { narrowToHalf, roundFraction, widen } from '../../../src/bert/checkpoint/dtype.js';
import { fixture, fixtureConfig, fixtureModel } from './fixture-model.js';
import { temporaryFolder } from '../scorer/mini-model.js';

describe('writeSafetensors', () => {
  test.each(['float32', 'float16'] as const)('writes %s that is read back exactly', async (dtype) => {
    const path = join(temporaryFolder(), 'model.safetensors');
    const model = fixtureModel();
    const shapes = bertTensorShapes(fixtureConfig);
    let held = 0;
    const tensors = [...model].map(([name, values]) => ({
      name,
      shape: shapes.get(name)!,
      values: async () => {
        expect(++held).toBe(1);
        await Promise.resolve();
        held--;
        return values;
      },
    }));
    await writeSafetensors(path, tensors, { dtype, metadata: { step: '7' } });
    const checkpoint = await openCheckpoint(path);
    expect([...checkpoint.tensors.keys()]).toEqual([...model.keys()]);
    for (const [name, values] of model) {
      expect(checkpoint.tensors.get(name)!.dtype).toBe(dtype);
      expect(await checkpoint.read(name)).toEqual(values);
    }
    await checkpoint.close();
    const bytes = await readFile(path);
    expect(Number(bytes.readBigUInt64LE(0)) % 8).toBe(0);
    expect(bytes.subarray(8).toString('latin1')).toMatch(/^\{"__metadata__":\{"format":"pt","step":"7"\}/);
  });

  test('writes a compressed file that is read back exactly, and refuses a damaged one', async () => {
    const path = join(temporaryFolder(), 'model.safetensors.gz');
    const values = Float32Array.from({ length: 5000 }, (_, i) => i % 7);
    await writeSafetensors(path, [{ name: 'a', shape: [5000], values }]);
    const bytes = await readFile(path);
    expect(bytes.length).toBeLessThan(1000);
    const checkpoint = await openCheckpoint(path);
    expect(await checkpoint.read('a')).toEqual(values);
    await checkpoint.close();
    await writeFile(path, bytes.subarray(0, 100));
    await expect(openCheckpoint(path)).rejects.toThrow(`${path}: cannot be unpacked`);
    const failing = { name: 'a', shape: [1], values: () => Promise.reject(new Error('no more memory')) };
    await expect(writeSafetensors(path, [failing])).rejects.toThrow('no more memory');
  });

  test('refuses a compressed file that unpacks to far more than a model', async () => {
    const path = join(temporaryFolder(), 'model.safetensors.gz');
    await writeFile(path, gzipSync(Buffer.alloc(80 * 1024 * 1024)));
    await expect(openCheckpoint(path)).rejects.toMatchObject({
      code: 'corrupt',
      message: `${path}: unpacks to more than 67108864 bytes; it is no model`,
    });
  });

  test('rounds numbers to a few bits of fraction, halves to even', () => {
    const values = Float32Array.of(1, 1.25, 1.75, -1.3, 3.75, 0);
    expect(roundFraction(values, 1)).toEqual(Float32Array.of(1, 1, 2, -1.5, 4, 0));
    expect(values[1]).toBe(1.25);
  });

  test('writes the same values as the reference library', async () => {
    const path = join(temporaryFolder(), 'model.safetensors');
    const reference = await openCheckpoint(fixture('safetensors/float16.safetensors'));
    const tensors = [...reference.tensors.values()];
    await writeSafetensors(
      path,
      tensors.map(({ name, shape }) => ({ name, shape, values: () => reference.read(name) })),
      { dtype: 'float16' },
    );
    const written = await openCheckpoint(path);
    for (const { name } of tensors) expect(await written.read(name)).toEqual(await reference.read(name));
    await Promise.all([reference.close(), written.close()]);
  });

  test('leaves the old file and no rubbish when a tensor fails', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'model.safetensors');
    await writeFile(path, 'old');
    const failing = { name: 'b', shape: [1], values: () => Promise.reject(new Error('lost')) };
    await expect(
      writeSafetensors(path, [{ name: 'a', shape: [1], values: Float32Array.of(1) }, failing]),
    ).rejects.toThrow('lost');
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['model.safetensors']);
  });

  test('refuses wrong shapes, names used twice and values beyond half precision', async () => {
    const path = join(temporaryFolder(), 'model.safetensors');
    const a = { name: 'a', shape: [2], values: Float32Array.of(1) };
    await expect(writeSafetensors(path, [a])).rejects.toThrow('tensor "a" has 1 values');
    await expect(
      writeSafetensors(path, [
        { ...a, shape: [1] },
        { ...a, shape: [1] },
      ]),
    ).rejects.toThrow('given twice');
    await expect(writeSafetensors(path, [{ ...a, shape: [-1] }])).rejects.toThrow('has shape [-1]');
    const large = { name: 'a', shape: [1], values: Float32Array.of(70_000) };
    await expect(writeSafetensors(path, [large], { dtype: 'float16' })).rejects.toThrow(
      "beyond float16's 65504",
    );
  });
});

describe('half precision', () => {
  test('every half is widened and narrowed to itself', () => {
    const halves = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
    const values = new Float32Array(65536);
    widen(new Uint8Array(halves.buffer), 'float16', values);
    const back = narrowToHalf(values);
    for (let bits = 0; bits < 65536; bits++) {
      const isNaN = (bits & 0x7c00) === 0x7c00 && (bits & 0x3ff) !== 0;
      if (isNaN) expect(Number.isNaN(values[bits])).toBe(true);
      else if (back[bits] !== bits)
        expect.fail(`0x${bits.toString(16)} came back as 0x${back[bits].toString(16)}`);
    }
    expect([values[0x3c00], values[0x7bff], values[0x0001], values[0xfc00]]).toEqual([
      1,
      65504,
      2 ** -24,
      -Infinity,
    ]);
  });

  test('narrowing takes the nearest half, ties to even', () => {
    const halves = new Float32Array(65536);
    widen(new Uint8Array(Uint16Array.from({ length: 65536 }, (_, bits) => bits).buffer), 'float16', halves);
    fc.assert(
      fc.property(fc.float({ min: -65504, max: 65504, noNaN: true }), (value) => {
        const [bits] = narrowToHalf(Float32Array.of(value));
        const error = Math.abs(halves[bits] - value);
        for (const neighbour of [bits - 1, bits + 1]) {
          const other = halves[neighbour & 0xffff];
          if (!Number.isFinite(other)) continue;
          const otherError = Math.abs(other - value);
          if (error === otherError && other !== halves[bits]) expect(bits & 1).toBe(0);
          else expect(error).toBeLessThanOrEqual(otherError);
        }
      }),
      { numRuns: 5000 },
    );
  });
});
