import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BertScorer } from '../../src/bert/index.js';
import { pretrainModel, trainModel } from '../../src/training/index.js';
import { temporaryFolder } from '../support/folders.js';
import { toyCollection, toyModel, toyNames, toyVocabulary } from './toy-task.js';

/** A Python with torch and transformers (scripts/fixtures/bert/logits.py says how to make one). */
const python =
  process.env['BERT_QE_PYTHON'] ?? fileURLToPath(new URL('../../../peers/hf/bin/python', import.meta.url));

const script = `
import json, sys, torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer
model, info = AutoModelForSequenceClassification.from_pretrained(sys.argv[1], output_loading_info=True)
tokens = AutoTokenizer.from_pretrained(sys.argv[1])("thingaa", "fillerab otheraa", return_tensors="pt")
left = {name: sorted(keys) for name, keys in info.items() if keys}
print(json.dumps({"left": left, "score": torch.softmax(model.eval()(**tokens).logits, -1)[0, 1].item()}))
`;

const masked = `
import json, sys, torch
from transformers import AutoModelForMaskedLM, AutoTokenizer
model, info = AutoModelForMaskedLM.from_pretrained(sys.argv[1], output_loading_info=True)
tokens = AutoTokenizer.from_pretrained(sys.argv[1])("thingaa [MASK] thingaa", "otheraa thingaa otheraa", return_tensors="pt")
found = model.eval()(**tokens).logits[0, 2].argmax().item()
print(json.dumps({"left": {name: sorted(keys) for name, keys in info.items() if keys}, "found": found}))
`;

test.skipIf(!existsSync(python))(
  'Hugging Face transformers loads a masked language model and finds a word with it (needs a Python with transformers)',
  { timeout: 600_000 },
  async () => {
    const folder = temporaryFolder();
    const vocabulary = await toyModel(join(folder, 'base'));
    const texts = toyNames.flatMap((names) =>
      Array.from({ length: 50 }, () => `${names.join(' ')} `.repeat(6)),
    );
    const out = join(folder, 'trained');
    const model = { layers: 2, hidden: 64, heads: 2, positions: 32, vocabulary };
    const options = {
      steps: 300,
      batch: 32,
      maxLength: 16,
      learningRate: 1e-3,
      dropout: 0,
      maskedShare: 0.2,
    };
    await pretrainModel({ texts, model }, options, { out });
    const answer = execFileSync(python, ['-c', masked, out], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { left, found } = JSON.parse(answer) as { left: object; found: number };
    expect(left).toEqual({});
    expect(toyNames[0]).toContain(toyVocabulary[found]);
  },
);

test.skipIf(!existsSync(python))(
  'Hugging Face transformers loads a trained model and scores as we do (needs a Python with transformers)',
  { timeout: 600_000 },
  async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'trained');
    const model = await toyModel(join(folder, 'base'));
    const inputs = { model, ...toyCollection('training', 8), documentsKey: 'toy' };
    await trainModel(inputs, { steps: 5, learningRate: 1e-3, maxLength: 24 }, { out });
    const scorer = await BertScorer.load({ model: out, device: 'cpu', maxLength: 24 });
    const [ours] = await scorer.score([{ a: 'thingaa', b: 'fillerab otheraa' }]);
    await scorer.close();
    const answer = execFileSync(python, ['-c', script, out], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { left, score } = JSON.parse(answer) as { left: object; score: number };
    expect(left).toEqual({});
    expect(score).toBeCloseTo(ours, 5);
  },
);
