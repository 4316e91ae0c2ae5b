import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openCheckpoint } from '../../../src/bert/checkpoint/index.js';
import { BertQeError } from '../../../src/common/errors.js';
import { fixture } from './fixture-model.js';
import { temporaryFolder } from '../scorer/mini-model.js';

const edits = fc.array(
  fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.constantFrom('set', 'cut', 'insert') }),
  { minLength: 1, maxLength: 4 },
);

type Edit = { at: number; byte: number; kind: string };

function damage(original: Buffer, changes: readonly Edit[]): Buffer {
  let bytes = Buffer.from(original);
  for (const { at, byte, kind } of changes) {
    const place = at % Math.max(1, bytes.length);
    if (kind === 'set') bytes[place] = byte;
    else if (kind === 'cut') bytes = bytes.subarray(0, place);
    else bytes = Buffer.concat([bytes.subarray(0, place), Buffer.from([byte]), bytes.subarray(place)]);
  }
  return bytes;
}

describe('a damaged file is read or refused, never anything else', () => {
  test.each([
    ['safetensors', 'safetensors/float16.safetensors', 'model.safetensors'],
    ['PyTorch', 'pytorch/strided.bin', 'pytorch_model.bin'],
    ['TensorFlow index', 'tensorflow-half/model.ckpt-7.index', 'model.ckpt-7.index'],
  ])('%s', async (_, source, name) => {
    const original = readFileSync(fixture(source));
    const folder = temporaryFolder();
    const path = join(folder, name);
    const values = readFileSync(fixture('tensorflow-half/model.ckpt-7.data-00000-of-00001'));
    await writeFile(join(folder, 'model.ckpt-7.data-00000-of-00001'), values);
    await fc.assert(
      fc.asyncProperty(edits, async (changes) => {
        await writeFile(path, damage(original, changes));
        const result = await openCheckpoint(path).then(
          async (checkpoint) => {
            for (const key of checkpoint.tensors.keys()) await checkpoint.read(key);
            await checkpoint.close();
          },
          (error: unknown) => error,
        );
        if (result !== undefined) expect(result).toBeInstanceOf(BertQeError);
      }),
      { numRuns: 400 },
    );
  });
});
