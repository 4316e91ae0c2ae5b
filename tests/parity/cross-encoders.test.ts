import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { BertScorer } from '../../src/bert/scorer/bert-scorer.js';
import { loadTokenizer } from '../../src/bert/model-folder.js';
import { demoPairs } from '../bert/scorer/demo-pairs.js';
import { temporaryFolder } from '../support/folders.js';

/**
 * The architectures and tokenizers of public cross-encoders beside Hugging Face transformers, from text to logits.
 * scripts/parity/cross_encoders.py makes small ones of random weights, laid out as the public repositories are.
 *
 *     BERT_QE_PYTHON=hf/bin/python npm run test:parity
 *
 * `hf` is a Python with torch, transformers, tokenizers, sentencepiece and onnx; without one the suite is skipped.
 */
const script = fileURLToPath(new URL('../../scripts/parity/cross_encoders.py', import.meta.url));
const python = process.env['BERT_QE_PYTHON'] ?? 'python3';
const modules = ['torch', 'transformers', 'tokenizers', 'sentencepiece', 'onnx'];
const probe =
  'import sys; from importlib.util import find_spec as f; sys.exit(not all(map(f, sys.argv[1:])))';
const isThere = spawnSync(python, ['-c', probe, ...modules]).status === 0;
const reason = isThere ? '' : ` (skipped: ${python} has not all of ${modules.join(', ')})`;

const multilingual = [
  'Wie bleibt Brot länger frisch?',
  'パンを新鮮に保つ方法は?',
  'Как сохранить хлеб свежим',
  '如何保持面包新鲜 ＡＢＣ',
  '한국어 빵',
  'العربية خبز',
  'हिन्दी रोटी',
  'ﬁne ½ ™ e\u0301 zero\u200Bwidth soft\u00AD',
  'tab\tand\nnewline  double  space',
  'x\u3000y\u00A0z 🍞',
];
const questions = ['how do I keep bread fresh?', 'Как сохранить хлеб', ''];
const pairs = [
  ...demoPairs(20).map(({ a, b }, i) => ({
    a,
    b: b
      .split(' ')
      .slice(0, 10 + 5 * i)
      .join(' '),
  })),
  ...questions.flatMap((a) => multilingual.map((b) => ({ a, b }))),
];

/** Families that are built from their weights; the others run from their ONNX export. */
const built = new Set(['bert', 'roberta', 'xlm-roberta']);

describe.skipIf(!isThere).each(['bert', 'roberta', 'xlm-roberta', 'modernbert', 'deberta-v2', 'electra'])(
  `%s gives the logits of Hugging Face transformers${reason}`,
  (architecture) => {
    const folder = join(temporaryFolder(), architecture);
    let expected: { ids: number[]; logits: number[] }[];

    beforeAll(() => {
      mkdirSync(folder);
      const texts = `${folder}.json`;
      writeFileSync(texts, JSON.stringify(pairs));
      execFileSync(python, [script, architecture, texts, folder], { stdio: ['ignore', 'ignore', 'pipe'] });
      expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as typeof expected;
    });

    async function expectLogits(): Promise<void> {
      const scorer = await BertScorer.load({ model: folder, device: 'cpu', workers: 1 });
      const { labels, values } = await scorer.scoreLogits(pairs);
      await scorer.close();
      expect(labels).toBe(1);
      const logits = expected.map((each) => each.logits[0]);
      const differences = logits.map((logit, i) => Math.abs(logit - values[i]));
      expect(Math.max(...differences)).toBeLessThan(1e-5);
      // The pairs can be told apart by far more than that.
      expect(Math.max(...logits) - Math.min(...logits)).toBeGreaterThan(0.02);
    }

    it('token for token', async () => {
      const { template, encode } = await loadTokenizer(folder).then((tokenizer) => ({
        template: tokenizer.template,
        encode: (text: string) => tokenizer.encode(text),
      }));
      const { before, between, after } = template;
      const ids = pairs.map(({ a, b }) => [...before, ...encode(a), ...between, ...encode(b), ...after]);
      expect(ids).toEqual(expected.map((each) => each.ids));
    });

    it.runIf(built.has(architecture))('from its weights', async () => {
      expect(existsSync(join(folder, 'model.safetensors'))).toBe(true);
      await expectLogits();
    });

    it('from its ONNX export', async () => {
      rmSync(join(folder, 'model.safetensors'));
      await expectLogits();
    });
  },
);
