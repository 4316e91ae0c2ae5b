import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bertWeights, openCheckpoint } from '../../../src/bert/checkpoint/index.js';
import { calibratedForm, fingerprint, writeInt8Form } from '../../../src/bert/compile/index.js';
import { int8FormHash, readInt8Form } from '../../../src/bert/compile/int8-file.js';
import type { Int8Form, Int8Matrix } from '../../../src/bert/graph/index.js';
import { loadTokenizer, readModelConfig } from '../../../src/bert/model-folder.js';
import { BertQeError } from '../../../src/common/errors.js';
import { multipliesBytes } from '../../../src/bert/runtime/machine.js';
import { BertScorer } from '../../../src/bert/scorer/bert-scorer.js';
import { eachFlip } from '../../support/flips.js';
import { miniConfig, miniModel, temporaryFolder } from '../scorer/mini-model.js';

vi.mock('../../../src/bert/runtime/machine.js', { spy: true });

beforeEach(() => vi.stubEnv('BERT_QE_CACHE', temporaryFolder()));
afterEach(() => vi.unstubAllEnvs());

const calibration = ['bridge', 'sway', 'wind', 'river'].map((a) => ({ a, b: `${a} over water` }));

async function formedModel() {
  const folder = await miniModel({ ...miniConfig, layers: 3 });
  const checkpoint = await openCheckpoint(folder);
  const weights = bertWeights(checkpoint, await readModelConfig(folder));
  const form = await calibratedForm(weights, await loadTokenizer(folder), calibration);
  await writeInt8Form(folder, form, await fingerprint(checkpoint));
  await checkpoint.close();
  return { folder, form };
}

const one = Float32Array.of(1);
const wrong = Int32Array.of(7, 7);

/** A map with the same change of all its values; a matrix keeps as many bytes as it then has. */
function each<T extends object>(map: ReadonlyMap<string, T>, change: Partial<T>): Map<string, T> {
  return new Map(
    [...map].map(([name, value]) => {
      const changed = { ...value, ...change };
      const { inputs, values } = changed as Partial<Int8Matrix>;
      return [name, inputs && values ? { ...changed, values: values.slice(0, inputs) } : changed];
    }),
  );
}

async function autoPrecision(folder: string): Promise<string> {
  const scorer = await BertScorer.load({ model: folder, device: 'cpu', workers: 1, maxLength: 64 });
  await scorer.score(calibration);
  await scorer.close();
  return scorer.info.precision;
}

describe('the int8 form of a model', () => {
  it('is read as it was written', async () => {
    const { folder, form } = await formedModel();
    expect(await readInt8Form(folder)).toEqual(form);
  });

  it('is what auto takes where the processor multiplies bytes, and only there', async () => {
    const { folder } = await formedModel();
    vi.mocked(multipliesBytes).mockReturnValue(true);
    expect(await autoPrecision(folder)).toBe('int8');
    vi.mocked(multipliesBytes).mockReturnValue(false);
    expect(await autoPrecision(folder)).toBe('fp32');
  });

  it('is not taken where BERT_QE_PRECISION says what auto is', async () => {
    const { folder } = await formedModel();
    vi.mocked(multipliesBytes).mockReturnValue(true);
    vi.stubEnv('BERT_QE_PRECISION', 'fp32');
    expect(await autoPrecision(folder)).toBe('fp32');
    vi.stubEnv('BERT_QE_PRECISION', 'int9');
    await expect(autoPrecision(folder)).rejects.toThrow('BERT_QE_PRECISION is "int9"; it can be auto, fp32');
  });

  it('is not taken for other weights', async () => {
    const { folder } = await formedModel();
    const other = await miniModel({ ...miniConfig, layers: 3, intermediate: 32 });
    cpSync(join(folder, 'int8.safetensors'), join(other, 'int8.safetensors'));
    vi.mocked(multipliesBytes).mockReturnValue(true);
    expect(await autoPrecision(other)).toBe('fp32');
  });

  it('is not needed', async () => {
    const { folder } = await formedModel();
    rmSync(join(folder, 'int8.safetensors'));
    vi.mocked(multipliesBytes).mockReturnValue(true);
    expect(await autoPrecision(folder)).toBe('fp32');
  });

  it('is refused where it is damaged', async () => {
    const { folder } = await formedModel();
    appendFileSync(join(folder, 'int8.safetensors'), 'x');
    vi.mocked(multipliesBytes).mockReturnValue(true);
    await expect(autoPrecision(folder)).rejects.toThrow('int8.safetensors');
  });

  it.each<[string, (form: Int8Form) => Partial<Int8Form>]>([
    ['no bytes of a layer', () => ({ matrices: new Map() })],
    ['steps that are none', ({ operands }) => ({ operands: each(operands, { step: Number.NaN }) })],
    [
      'a matrix of another shape',
      ({ matrices }) => ({ matrices: each(matrices, { outputs: 1, scales: one }) }),
    ],
    ['an order that is none', ({ orders }) => ({ orders: new Map([...orders].map(([at]) => [at, wrong])) })],
  ])('is refused where others have made it with %s', async (_, change) => {
    const { folder, form } = await formedModel();
    const checkpoint = await openCheckpoint(folder);
    await writeInt8Form(folder, { ...form, ...change(form) }, await fingerprint(checkpoint));
    await checkpoint.close();
    vi.mocked(multipliesBytes).mockReturnValue(true);
    await expect(autoPrecision(folder)).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('int8.safetensors: the int8 form of the model is damaged'),
    });
  });

  it('is refused by name where one bit is not what was written, or it was cut off', async () => {
    const { folder, form } = await formedModel();
    const path = join(folder, 'int8.safetensors');
    const whole = readFileSync(path);
    const checkpoint = await openCheckpoint(folder);
    const hashes = await fingerprint(checkpoint);
    await checkpoint.close();
    const use = async () => {
      expect(await int8FormHash(folder, hashes)).toBeDefined();
      return readInt8Form(folder);
    };
    let harmless = 0;
    await eachFlip([path], 500, async (place) => {
      const found = await use().catch((error: unknown) => {
        expect(error, place).toBeInstanceOf(BertQeError);
        expect((error as Error).message, place).toContain(path);
      });
      if (found === undefined) return;
      harmless++;
      expect(found, place).toEqual(form);
    });
    expect(harmless).toBeLessThan(20);
    for (const length of [0, 7, 100, whole.length / 2, whole.length - 1]) {
      writeFileSync(path, whole.subarray(0, length));
      await expect(use()).rejects.toThrow(path);
    }
  });
});
