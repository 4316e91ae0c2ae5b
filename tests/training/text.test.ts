import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadVocabulary, readModelConfig } from '../../src/bert/index.js';
import { openCheckpoint } from '../../src/bert/checkpoint/index.js';
import { textData, textValidation } from '../../src/training/data/text-data.js';
import type { Step } from '../../src/training/engine/training-engine.js';
import type { TrainingWorker } from '../../src/training/engine/training-worker.js';
import { distilModel, type NewModel, pretrainModel, readTexts } from '../../src/training/index.js';
import { Random } from '../../src/training/random.js';
import { trainingSettings, type TrainingOptions } from '../../src/training/settings.js';
import { tokenizedText } from '../../src/training/text.js';
import { temporaryFolder } from '../support/folders.js';
import { expectSameFiles, stoppedAfter } from '../support/stopped-training.js';
import { toyNames, toyVocabulary } from './toy-task.js';

const folder = temporaryFolder();
const vocabulary = join(folder, 'vocabulary');
mkdirSync(vocabulary);
writeFileSync(join(vocabulary, 'vocab.txt'), `${toyVocabulary.join('\n')}\n`);
const tokenizer = await loadVocabulary(vocabulary);
const shape: NewModel = { layers: 2, hidden: 64, heads: 2, positions: 32, vocabulary };
const options: TrainingOptions = { batch: 16, maxLength: 24, learningRate: 1e-3, steps: 12, threads: 2 };

/** Texts of twelve words, the two names of one thing by turns: the words around a masked one tell which thing it names. */
function textOf(seed: string, texts: number): string[] {
  const random = new Random('toy text', seed);
  return Array.from({ length: texts }, () => {
    const names = toyNames[random.below(toyNames.length)];
    return Array.from({ length: 6 }, () => names.join(' ')).join(' ');
  });
}

/** The batches of a step, as the worker gets them. */
async function stepsOf(text: readonly string[], more: TrainingOptions, first: number, count: number) {
  const settings = trainingSettings({ ...options, ...more }, 'masked');
  const data = textData(await tokenizedText('text', text, tokenizer, () => {}), tokenizer, settings);
  const sent: Step[] = [];
  const call = async (_method: string, steps: readonly Step[]) => {
    sent.push(...steps);
    return steps.map(() => ({ loss: 1, gradientNorm: 1 }));
  };
  const rates = Array.from({ length: count }, () => 1e-3);
  await data.steps({ call } as unknown as TrainingWorker, first, rates);
  return { data, batches: sent.map(({ batches }) => batches) };
}

describe('masked sequences', () => {
  const text = textOf('sequences', 100);

  test('mask a share of the text, never special tokens, mostly by [MASK]', async () => {
    const { batches } = await stepsOf(text, { batch: 400 }, 0, 5);
    const fates = { mask: 0, same: 0, other: 0 };
    let tokens = 0;
    for (const { ids, lengths, splits, wanted, targets } of batches.flat()) {
      expect([...lengths]).toEqual([...lengths].map(() => 24));
      ids.forEach((id, i) => {
        const place = i % 24;
        const split = splits[Math.floor(i / 24)];
        const isSpecial = place === 0 || place === split - 1 || place === 23;
        if (isSpecial) expect([id, wanted![i]]).toEqual([place === 0 ? 2 : 3, -1]);
        else tokens++;
        if (wanted![i] < 0) return;
        expect(wanted![i]).toBeGreaterThan(4);
        fates[id === 4 ? 'mask' : id === wanted![i] ? 'same' : 'other']++;
        if (id !== 4) expect(id).toBeGreaterThan(0);
      });
      expect(targets).toHaveLength(lengths.length);
    }
    const masked = fates.mask + fates.same + fates.other;
    // 3 of 21 tokens.
    expect(masked / tokens).toBeCloseTo(1 / 7, 6);
    expect(fates.mask / masked).toBeCloseTo(0.8, 1);
    expect(fates.other / masked).toBeCloseTo(0.1, 1);
    expect(fates.same / masked).toBeCloseTo(0.1, 1);
    expect(masked).toBe(5 * 400 * 3);
  });

  test('are stretches of the text', async () => {
    const { batches } = await stepsOf(text, {}, 0, 1);
    const words = text.join(' ').split(' ');
    const whole = ` ${words.map((word) => toyVocabulary.indexOf(word)).join(' ')} `;
    for (const { ids, wanted, lengths } of batches[0]) {
      for (const row of lengths.keys()) {
        const seen = [...ids.subarray(24 * row, 24 * row + 24)].map((id, i) =>
          wanted![24 * row + i] < 0 ? id : wanted![24 * row + i],
        );
        expect(whole).toContain(` ${seen.filter((id) => id > 4).join(' ')} `);
      }
    }
  });

  test('of a step follow from the seed and its number', async () => {
    const some = await stepsOf(text, {}, 0, 4);
    const later = await stepsOf(text, {}, 2, 2);
    expect(later.batches).toEqual(some.batches.slice(2));
    expect(some.batches[2]).not.toEqual(some.batches[3]);
    expect((await stepsOf(text, { seed: 2 }, 2, 1)).batches[0]).not.toEqual(later.batches[0]);
  });

  test('of validation cover its text once, the same every time', async () => {
    const settings = trainingSettings({ ...options, batchTokens: 100 }, 'masked');
    const held = await tokenizedText('text', text, tokenizer, () => {});
    const { batches } = textValidation(held, tokenizer, settings);
    // 1,200 words in stretches of 21.
    expect(batches.reduce((sum, { lengths }) => sum + lengths.length, 0)).toBe(57);
    const weights = batches.flatMap(({ targets }) => [...targets]);
    expect(weights.reduce((sum, weight) => sum + 3 * weight, 0)).toBeCloseTo(1, 5);
    expect(textValidation(held, tokenizer, settings).batches).toEqual(batches);
  });
});

describe('masked-language training', () => {
  test('learns to tell one name of a thing from the other', async () => {
    const out = join(folder, 'learned');
    const manifest = await pretrainModel(
      { texts: textOf('training', 2000), validationTexts: textOf('validation', 200), model: shape },
      { ...options, batch: 32, steps: 160, maxLength: 16, maskedShare: 0.2, dropout: 0, validateEvery: 80 },
      { out },
    );
    expect(manifest.examples).toEqual({ texts: 2000, pieces: 24_000 });
    const [first, ...later] = manifest.history.validations.map(({ value }) => value);
    expect(first).toBeCloseTo(Math.log(toyVocabulary.length), 0);
    // Who knows how often words occur, and nothing of those around them, has a loss of ln 16 = 2.77.
    expect(Math.min(...later)).toBeLessThan(1.8);
    expect(manifest.best!.value).toBe(Math.min(...later));
    expect(readFileSync(join(out, 'vocab.txt'), 'utf8')).toBe(
      readFileSync(join(vocabulary, 'vocab.txt'), 'utf8'),
    );
    expect(await readModelConfig(out)).toMatchObject({
      layers: 2,
      hidden: 64,
      maxPositions: 32,
      vocabulary: 45,
    });
  });

  test('is resumed with the same bits, and goes on to another training', async () => {
    const [whole, stopped] = [join(folder, 'whole'), join(folder, 'stopped')];
    const texts = textOf('training', 100);
    const inputs = { texts, validationTexts: textOf('validation', 10), model: shape };
    const settings = { ...options, saveEvery: 5, validateEvery: 4 };
    await pretrainModel(inputs, settings, { out: whole });
    const stopping = pretrainModel(inputs, settings, { out: stopped, ...stoppedAfter(7) });
    await expect(stopping).rejects.toThrow('The training was stopped after step 7; it can be resumed.');
    const other = pretrainModel({ ...inputs, texts: [...texts, 'fillerab'] }, settings, {
      out: stopped,
      resume: true,
    });
    await expect(other).rejects.toThrow(/another configuration: text \(/);
    const resumed = await pretrainModel(inputs, settings, { out: stopped, resume: true });
    expect(resumed.steps).toBe(12);
    await expectSameFiles(stopped, whole);

    // More of the same, where the head goes on too, and a classifier on top.
    const more = join(folder, 'more');
    await pretrainModel(
      { texts, model: whole },
      { ...options, steps: 1, learningRate: 1e-12 },
      { out: more },
    );
    const [before, after] = [await openCheckpoint(whole), await openCheckpoint(more)];
    for (const name of before.tensors.keys()) {
      const [a, b] = [await before.read(name), await after.read(name)];
      expect(Math.max(...a.map((value, i) => Math.abs(value - b[i]))), name).toBeLessThan(1e-6);
    }
    await before.close();
    await after.close();
    const groups = [
      {
        query: 'thingaa',
        candidates: [
          { text: 'otheraa', target: 2 },
          { text: 'otherab', target: -2 },
        ],
      },
    ];
    const out = join(folder, 'classifier');
    await distilModel({ groups, model: whole }, { steps: 1, groupSize: 2, maxLength: 24 }, { out });
    expect(JSON.parse(readFileSync(join(out, 'config.json'), 'utf8'))).toMatchObject({
      architectures: ['BertForSequenceClassification'],
    });
  });

  test.each<[string, Partial<Parameters<typeof pretrainModel>[0]>, TrainingOptions, RegExp]>([
    ['no text', { texts: ['', ' '] }, {}, /^The corpus: there is no text in it\.$/],
    [
      'a short text',
      { texts: ['thingaa otheraa'] },
      {},
      /^The corpus: its text has 2 word pieces, fewer than/,
    ],
    ['long sequences', {}, { maxLength: 40 }, /^A maximum length of 40 is not possible: a new model/],
    ['a loss', {}, { loss: 'listwise' }, /^Training: its loss is masked; leave loss out\.$/],
    [
      'a depth',
      {},
      { depth: 5 },
      /depth belongs to the loss pointwise or pairwise or listwise or residual, not/,
    ],
    [
      'heads that do not divide',
      { model: { ...shape, heads: 3 } },
      {},
      /^A model of 2 layers, 64 hidden units, 3/,
    ],
    [
      'a vocabulary that is not there',
      { model: { ...shape, vocabulary: folder } },
      {},
      /no tokenizer\.json or vocab/,
    ],
  ])('refuses %s', async (_, inputs, more, message) => {
    const texts = textOf('training', 50);
    const out = join(folder, 'refused');
    const training = pretrainModel({ texts, model: shape, ...inputs }, { ...options, ...more }, { out });
    await expect(training).rejects.toThrow(message);
  });

  test('refuses a vocabulary without [MASK]', async () => {
    const without = join(folder, 'without');
    mkdirSync(without);
    writeFileSync(join(without, 'vocab.txt'), toyVocabulary.filter((word) => word !== '[MASK]').join('\n'));
    const training = pretrainModel(
      { texts: textOf('training', 50), model: { ...shape, vocabulary: without } },
      options,
      { out: join(folder, 'refused') },
    );
    await expect(training).rejects.toThrow('The vocabulary has no [MASK]');
  });
});

async function all(path: string): Promise<string[]> {
  const found: string[] = [];
  for await (const text of readTexts(path)) found.push(text);
  return found;
}

test('texts are the lines of a file, or titles and texts of a collection', async () => {
  const [lines, collection] = [join(folder, 'lines.txt'), join(folder, 'corpus.jsonl')];
  writeFileSync(lines, 'one\r\n\ntwo three\n');
  writeFileSync(collection, '{"_id": "1", "title": "A", "text": "b c"}\n{"_id": "2", "text": "d"}\n');
  expect(await all(lines)).toEqual(['one', '', 'two three']);
  expect(await all(collection)).toEqual(['A', 'b c', 'd']);
});
