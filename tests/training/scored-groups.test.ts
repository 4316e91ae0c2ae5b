import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BertScorer } from '../../src/bert/index.js';
import { distilledTargets } from '../../src/training/data/distilled-data.js';
import { distilModel, readGroups, type ScoredGroup, type TrainingOptions } from '../../src/training/index.js';
import { Random } from '../../src/training/random.js';
import { temporaryFolder } from '../support/folders.js';
import { expectSameFiles, stoppedAfter } from '../support/stopped-training.js';
import { toyModel, toyNames } from './toy-task.js';

const folder = temporaryFolder();
const model = await toyModel(join(folder, 'base'), 'classifier');
const options: TrainingOptions = {
  batch: 32,
  groupSize: 4,
  maxLength: 24,
  learningRate: 1e-3,
  steps: 12,
  threads: 2,
};

/** Six candidates of every query: the other name of its thing has the log-odds 2, those of other things have -2. */
function groupsOf(seed: string, count: number): ScoredGroup[] {
  const random = new Random('scored groups', seed);
  return Array.from({ length: count }, () => {
    const thing = random.below(toyNames.length);
    const others = Array.from(
      { length: 5 },
      () => (thing + 1 + random.below(toyNames.length - 1)) % toyNames.length,
    );
    const candidates = [thing, ...others].map((one) => ({
      text: toyNames[one][1],
      target: one === thing ? 2 : -2,
    }));
    return { query: toyNames[thing][0], candidates: random.shuffle(candidates) };
  });
}

describe('targets of a group', () => {
  test('are the shares and the probabilities of the log-odds, weighted', () => {
    const { row, entropy } = distilledTargets([Math.log(3), 0], 10);
    const expected = [0.75, 0.25, 0.25 / 4, 0.5 / 4, 0.75 / 4, 0.5 / 4].map((value) => value / 10);
    row.forEach((value, i) => expect(value).toBeCloseTo(expected[i], 12));
    expect(entropy).toBeCloseTo(-(0.75 * Math.log(0.75) + 0.25 * Math.log(0.25)) / 10, 12);
  });

  test('stay finite whatever the log-odds', () => {
    const { row, entropy } = distilledTargets([800, -800, 0], 1);
    expect(row.every(Number.isFinite)).toBe(true);
    expect(entropy).toBeCloseTo(0, 12);
  });
});

describe('training from stored scores', () => {
  test('gives the log-odds of the teacher, of which the loss is 0 divergence', async () => {
    const out = join(folder, 'learned');
    const manifest = await distilModel(
      { groups: groupsOf('training', 100), validationGroups: groupsOf('validation', 20), model },
      { ...options, steps: 120, dropout: 0, validateEvery: 60 },
      { out },
    );
    expect(manifest.examples).toEqual({ groups: 100, candidates: 600 });
    const scorer = await BertScorer.load({ model: out, device: 'cpu', maxLength: 24 });
    const pairs = toyNames.flatMap(([a], i) =>
      toyNames.map(([, b], j) => ({ a, b, wanted: i === j ? 2 : -2 })),
    );
    const found = (await scorer.score(pairs)).map((share) => Math.log(share / (1 - share)));
    await scorer.close();
    pairs.forEach(({ wanted, a, b }, i) =>
      expect(Math.abs(found[i] - wanted), `${a} ${b}`).toBeLessThan(0.7),
    );
    // ½·H(σ(2)) is left: the divergence is 0.
    const p = 1 / (1 + Math.exp(-2));
    const least = -0.5 * (p * Math.log(p) + (1 - p) * Math.log(1 - p));
    expect(manifest.best!.value).toBeGreaterThan(least);
    expect(manifest.best!.value).toBeLessThan(least + 0.02);
    expect(manifest.history.validations[0].value).toBeGreaterThan(least + 0.3);
  });

  test('is resumed with the same bits', async () => {
    const [whole, stopped] = [join(folder, 'whole'), join(folder, 'stopped')];
    const inputs = { groups: groupsOf('training', 20), validationGroups: groupsOf('validation', 5), model };
    const settings = { ...options, saveEvery: 5, validateEvery: 4 };
    await distilModel(inputs, settings, { out: whole });
    const stopping = distilModel(inputs, settings, { out: stopped, ...stoppedAfter(7) });
    await expect(stopping).rejects.toThrow('The training was stopped after step 7; it can be resumed.');
    const [first, ...others] = inputs.groups;
    const changed = {
      ...first,
      candidates: first.candidates.map((one) => ({ ...one, target: one.target + 1 })),
    };
    const other = distilModel({ ...inputs, groups: [changed, ...others] }, settings, {
      out: stopped,
      resume: true,
    });
    await expect(other).rejects.toThrow(/another configuration: groups \(/);
    await distilModel(inputs, settings, { out: stopped, resume: true });
    await expectSameFiles(stopped, whole);
  });

  test('refuses groups with fewer candidates than are compared, and none at all', async () => {
    const out = join(folder, 'refused');
    const short = groupsOf('training', 2).map((group) => ({
      ...group,
      candidates: group.candidates.slice(0, 3),
    }));
    await expect(distilModel({ groups: short, model }, options, { out })).rejects.toThrow(
      'The groups: group 1 has 3 candidates, and 4 of each are compared; give more, or compare fewer (groupSize).',
    );
    await expect(distilModel({ groups: [], model }, options, { out })).rejects.toThrow(
      'there is no group in it',
    );
  });
});

async function read(text: string | Uint8Array): Promise<ScoredGroup[]> {
  const file = join(folder, 'groups.jsonl');
  writeFileSync(file, text);
  const groups: ScoredGroup[] = [];
  for await (const group of readGroups(file)) groups.push(group);
  return groups;
}

describe('a file of groups', () => {
  test('is read, compressed or not', async () => {
    const groups = groupsOf('training', 3);
    const lines = groups.map((group) => `${JSON.stringify(group)}\n`).join('\n');
    expect(await read(lines)).toEqual(groups);
    expect(await read(gzipSync(lines))).toEqual(groups);
  });

  test.each([
    ['no JSON', /groups\.jsonl:1: the line is not JSON\. Write \{"query"/],
    ['[]', /:1: "query" must be a text and "candidates" a list/],
    ['{"query": 1, "candidates": []}', /:1: "query" must be a text/],
    [
      '\n{"query": "a", "candidates": [{"text": "b", "target": 1}, {"text": "c"}]}',
      /:2: candidate 2 must have a "text"/,
    ],
    ['{"query": "a", "candidates": [{"text": "b", "target": "1"}]}', /:1: candidate 1 must have/],
  ])('%s is refused', async (line, message) => {
    await expect(read(line)).rejects.toThrow(message);
  });
});
