import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  mkdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { compiledModel } from '../../../src/bert/compile/index.js';
import { loadTokenizer, readModelConfig } from '../../../src/bert/model-folder.js';
import { BertScorer } from '../../../src/bert/scorer/bert-scorer.js';
import { kendallTau } from '../../../src/bert/manage/kendall.js';
import { demoPairs } from '../scorer/demo-pairs.js';
import { miniConfig, miniModel, temporaryFolder } from '../scorer/mini-model.js';

beforeEach(() => vi.stubEnv('BERT_QE_CACHE', temporaryFolder()));
afterEach(() => vi.unstubAllEnvs());

async function compile(folder: string, precision: 'fp32' | 'fp16' | 'int8' = 'fp32'): Promise<string> {
  const tokenizer = await loadTokenizer(folder);
  const options = { precision, device: 'cpu', batches: 'equal', tokenizer } as const;
  return (await compiledModel(folder, await readModelConfig(folder), options)).path;
}

function compiledFolders(): string[] {
  return readdirSync(join(process.env['BERT_QE_CACHE']!, 'compiled'));
}

describe('compiled models', () => {
  it('are written once per content and precision', async () => {
    const folder = await miniModel();
    const path = await compile(folder);
    const written = statSync(path).mtimeMs;
    expect(await compile(folder)).toBe(path);
    expect(await compile(await miniModel())).toBe(path);
    expect(statSync(path).mtimeMs).toBe(written);
    expect(await compile(folder, 'fp16')).not.toBe(path);
    expect(await compile(await miniModel({ ...miniConfig, layers: 1 }))).not.toBe(path);
    expect(compiledFolders()).toHaveLength(3);
  });

  it('are written again when they were damaged', async () => {
    const folder = await miniModel();
    const path = await compile(folder);
    const whole = readFileSync(`${path}.data`);
    truncateSync(`${path}.data`, 100);
    expect(await compile(folder)).toBe(path);
    expect(readFileSync(`${path}.data`).equals(whole)).toBe(true);
  });

  it('are written again when one bit of a file is not what was written, and the file is named', async () => {
    const folder = await miniModel();
    const path = await compile(folder);
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    for (const file of [path, `${path}.data`, join(path, '..', 'checksums.json')]) {
      const whole = readFileSync(file);
      const changed = Buffer.from(whole);
      changed[whole.length >> 1] ^= 1;
      writeFileSync(file, changed);
      expect(await compile(folder)).toBe(path);
      expect(readFileSync(file).equals(whole)).toBe(true);
    }
    expect(warn.mock.calls.map(([text]) => text)).toEqual([
      expect.stringMatching(/model\.onnx is damaged: .* It is written again\.$/),
      expect.stringMatching(/model\.onnx\.data is damaged/),
      expect.stringMatching(/is damaged/),
    ]);
  });

  it('are the same when several ask at once, and leave nothing behind', async () => {
    const folder = await miniModel();
    const paths = await Promise.all([compile(folder), compile(folder), compile(folder)]);
    expect(new Set(paths).size).toBe(1);
    expect(compiledFolders()).toHaveLength(1);
  });

  it('are the same when several find a damaged one at once, and leave nothing behind', async () => {
    const folder = await miniModel();
    const path = await compile(folder);
    const whole = readFileSync(`${path}.data`);
    for (let round = 0; round < 10; round++) {
      truncateSync(`${path}.data`, 100);
      const paths = await Promise.all(Array.from({ length: 6 }, () => compile(folder)));
      expect(new Set(paths)).toEqual(new Set([path]));
      expect(readFileSync(`${path}.data`).equals(whole)).toBe(true);
      expect(compiledFolders()).toHaveLength(1);
    }
  });

  it('clear away what a killed process left an hour ago', async () => {
    const leftover = join(process.env['BERT_QE_CACHE']!, 'compiled', 'x.1.ab.tmp');
    mkdirSync(leftover, { recursive: true });
    utimesSync(leftover, 0, 0);
    await compile(await miniModel());
    expect(existsSync(leftover)).toBe(false);
  });

  it('hold little more than half the bytes in fp16: biases and normalisation are kept whole', async () => {
    const folder = await miniModel({ ...miniConfig, layers: 6, hidden: 64, intermediate: 256 });
    const [single, half] = [await compile(folder), await compile(folder, 'fp16')];
    expect(statSync(`${half}.data`).size).toBeLessThan(0.55 * statSync(`${single}.data`).size);
  });
});

describe('int8', () => {
  it.each(['T', 'S'])('ranks real pairs as fp32 does: %s', async (model) => {
    vi.unstubAllEnvs();
    const pairs = demoPairs(400);
    const margins = async (precision: 'fp32' | 'int8') => {
      const scorer = await BertScorer.load({ model, precision });
      const { values } = await scorer.scoreLogits(pairs);
      await scorer.close();
      return pairs.map((_, i) => values[2 * i + 1] - values[2 * i]);
    };
    const [exact, bytes] = [await margins('fp32'), await margins('int8')];
    expect(bytes).not.toEqual(exact);
    expect(kendallTau(exact, bytes)).toBeGreaterThan(0.985);
  });
});
