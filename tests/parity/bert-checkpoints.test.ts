import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BertScorer } from '../../src/bert/scorer/bert-scorer.js';
import { demoPairs } from '../bert/scorer/demo-pairs.js';

/**
 * All five sizes from every checkpoint format, from text to logits, beside Hugging Face transformers. Weights are made
 * up by scripts/parity/bert_checkpoints.py from their names, so nothing of their gigabytes is stored.
 *
 *     BERT_QE_PYTHON=hf/bin/python npm run test:parity
 *
 * `hf` is a Python with numpy, torch, transformers, safetensors and tensorflow; without one the suite is skipped.
 * `BERT_QE_PARITY_SIZES=TS` runs some sizes only. Needs 8 GB of disk and 6 GB of memory for L.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const python = process.env['BERT_QE_PYTHON'] ?? 'python3';
const modules = ['numpy', 'safetensors', 'tensorflow', 'torch', 'transformers'];
const probe =
  'import sys; from importlib.util import find_spec as f; sys.exit(not all(map(f, sys.argv[1:])))';
const isThere = spawnSync(python, ['-c', probe, ...modules]).status === 0;
const sizes = [...(process.env['BERT_QE_PARITY_SIZES'] ?? 'TSMBL')];
const formats = ['safetensors', 'safetensors-sharded', 'pytorch', 'pytorch-sharded', 'tensorflow'];

/** Short and long, none so long that it would be cut. */
const pairs = [
  { a: 'bees', b: 'honey' },
  ...demoPairs(6).map(({ a, b }, i) => ({
    a,
    b: b.split(' ').slice(0, [3, 20, 60, 100, 130, 160][i]).join(' '),
  })),
];

/** For docs/benchmarks-scoring.md; sizes that did not run this time keep what they had. */
type Differences = Record<string, Record<string, number>>;
const found: Differences = {};
afterAll(() => {
  if (!isThere) return;
  const file = join(root, 'bench/results/scoring-parity.json');
  const before = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { largestDifference: Differences })
    : undefined;
  const largestDifference = { ...before?.largestDifference, ...found };
  const report = { date: new Date().toISOString(), pairs: pairs.length, largestDifference };
  mkdirSync(join(root, 'bench/results'), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
});

const reason = isThere
  ? ''
  : ` (skipped: ${python} has not all of ${modules.join(', ')}; set BERT_QE_PYTHON)`;
describe.skipIf(!isThere).each(sizes)(
  `BERT-%s gives the logits of Hugging Face transformers${reason}`,
  (size) => {
    let folder: string;
    let expected: number[][];

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), `bert-qe-parity-${size}-`));
      vi.stubEnv('BERT_QE_CACHE', join(folder, 'cache'));
      writeFileSync(join(folder, 'pairs.json'), JSON.stringify(pairs));
      const script = join(root, 'scripts/parity/bert_checkpoints.py');
      execFileSync(python, [script, size, join(root, 'models/tiny'), join(folder, 'pairs.json'), folder], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      expected = JSON.parse(readFileSync(join(folder, 'logits.json'), 'utf8')) as number[][];
    });
    afterAll(() => {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true, force: true });
    });

    it.each(formats)('from %s', async (format) => {
      const scorer = await BertScorer.load({ model: join(folder, format), device: 'cpu' });
      const { values } = await scorer.scoreLogits(pairs);
      await scorer.close();
      const worst = Math.max(...expected.flat().map((logit, i) => Math.abs(logit - values[i])));
      (found[size] ??= {})[format] = worst;
      rmSync(join(folder, 'cache'), { recursive: true });
      rmSync(join(folder, format), { recursive: true });
      expect(worst).toBeLessThan(1e-4);
    });
  },
);
