import fc from 'fast-check';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judgedCandidates, sampleCandidates } from '../../src/training/examples/candidates.js';
import {
  openFoundJournal,
  portions,
  targetsOf,
  UnitStream,
  unitsOf,
} from '../../src/training/examples/index.js';
import { learningRateAt } from '../../src/training/schedule.js';
import { settingsFrom } from '../../src/training/settings.js';
import { temporaryFolder } from '../support/folders.js';

const candidates = (count: number, relevant: number) =>
  Array.from({ length: count }, (_, i) => ({ document: `d${i}`, relevant: i < relevant }));

describe('candidates', () => {
  test('are relevant from level 1 on; what is not judged is not', () => {
    const ranking = ['a', 'b', 'c', 'd'].map((id) => ({ id, score: 1 }));
    const judged = new Map([
      ['a', 2],
      ['b', 0],
      ['d', 1],
    ]);
    expect(judgedCandidates(ranking, judged, 3)).toEqual([
      { document: 'a', relevant: true },
      { document: 'b', relevant: false },
      { document: 'c', relevant: false },
    ]);
  });

  test('are all taken as published, or a sample that the seed decides', () => {
    const all = candidates(50, 5);
    expect(sampleCandidates('q', all, settingsFrom())).toEqual(all);
    const some = sampleCandidates('q', all, settingsFrom({ candidates: 10 }));
    expect(some).toHaveLength(10);
    expect(sampleCandidates('q', all, settingsFrom({ candidates: 10 }))).toEqual(some);
    expect(sampleCandidates('q', all, settingsFrom({ candidates: 10, seed: 2 }))).not.toEqual(some);
  });

  test('keep all that are relevant where the others are capped', () => {
    const some = sampleCandidates('q', candidates(50, 5), settingsFrom({ negatives: 2 }));
    expect(some.filter(({ relevant }) => relevant)).toHaveLength(5);
    expect(some).toHaveLength(15);
    expect(sampleCandidates('q', candidates(50, 0), settingsFrom({ negatives: 2 }))).toHaveLength(2);
  });
});

describe('the order of training', () => {
  const gathered = [3, 4, 5].map((count, q) => ({
    query: { id: String(q), text: 'x' },
    examples: candidates(count, q).map((one) => ({ ...one, passage: 'p' })),
  }));
  const streamOf = (settings: Parameters<typeof unitsOf>[1] & { batch: number }) =>
    new UnitStream(unitsOf(gathered, settings), settings);

  test('shows every example once an epoch, in another order each time', () => {
    const stream = streamOf({ loss: 'pointwise', groupSize: 1, batch: 4, seed: 1 });
    expect(stream.size).toBe(12);
    expect(stream.stepsIn(2)).toBe(6);
    const epoch = (number: number): number[] =>
      [0, 1, 2].flatMap((step) => stream.at(number * 3 + step)).map(([one]) => one);
    const all = Array.from({ length: 12 }, (_, i) => i);
    for (const number of [0, 1, 2]) expect(epoch(number).toSorted((a, b) => a - b)).toEqual(all);
    expect(epoch(0)).not.toEqual(epoch(1));
    // Any step can be had at any time.
    expect(epoch(0)).toEqual(epoch(0));
  });

  test('crosses from one epoch to the next where the batch does not divide it', () => {
    const stream = streamOf({ loss: 'pointwise', groupSize: 1, batch: 5, seed: 1 });
    const seen = Array.from({ length: 12 }, (_, step) => stream.at(step)).flat(2);
    const counts = new Map<number, number>();
    for (const one of seen) counts.set(one, (counts.get(one) ?? 0) + 1);
    expect([...counts.values()]).toEqual(Array.from({ length: 12 }, () => 5));
  });

  test('by groups sets each relevant example against others of its query', () => {
    const stream = streamOf({ loss: 'listwise', groupSize: 4, batch: 8, seed: 1 });
    expect([stream.size, stream.perStep]).toEqual([3, 2]);
    for (const [first, ...others] of stream.at(0)) {
      expect([3, 7, 8]).toContain(first);
      const own = first === 3 ? [4, 5, 6] : [9, 10, 11];
      expect(others.every((one) => own.includes(one))).toBe(true);
      expect(others).toHaveLength(3);
    }
  });
});

describe('what the loss aims at', () => {
  const [relevant, other] = [
    { document: 'a', passage: 'x', relevant: true },
    { document: 'b', passage: 'y', relevant: false },
  ];

  test('are the judgements, weighted alike', () => {
    const settings = { loss: 'pointwise', teacherWeight: 0.5 } as const;
    expect(targetsOf([[0], [1]], [relevant, other], settings)).toEqual([
      [0, 0.5],
      [0.5, 0],
    ]);
  });

  test('lean towards the teacher by its weight', () => {
    const taught = [
      { ...relevant, teacher: 0.6 },
      { ...other, teacher: 0.2 },
    ];
    const rows = targetsOf([[0], [1]], taught, { loss: 'pointwise', teacherWeight: 0.5 });
    expect(rows[0][1]).toBeCloseTo(0.4, 12);
    expect(rows[1][1]).toBeCloseTo(0.05, 12);
    // Odds 1.5 and 0.25.
    const [group] = targetsOf([[0, 1]], taught, { loss: 'listwise', teacherWeight: 1 });
    expect(group[0]).toBeCloseTo(6 / 7, 12);
    expect(group[0] + group[1]).toBeCloseTo(1, 12);
  });
});

test('portions hold every sequence once, within the budget, groups whole', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 300 }),
      (lengths, together, tokens) => {
        const whole = lengths.slice(0, Math.floor(lengths.length / together) * together);
        const sequences = whole.map((length, i) => ({ ids: new Int32Array(length).fill(i), split: 0 }));
        const cut = portions(sequences, tokens, together);
        expect(cut.flatMap(({ places }) => places).toSorted((a, b) => a - b)).toEqual([...sequences.keys()]);
        for (const { places, batch } of cut) {
          const longest = Math.max(...batch.lengths);
          expect(places.length === together || places.length * longest <= tokens).toBe(true);
          expect([...batch.lengths]).toEqual(places.map((place) => whole[place]));
          for (let i = 0; i < places.length; i += together) {
            expect(places.slice(i, i + together)).toEqual(
              Array.from({ length: together }, (_, at) => places[i] + at),
            );
          }
        }
      },
    ),
  );
});

test('the learning rate rises to its peak and falls to nothing', () => {
  const rates = Array.from({ length: 20 }, (_, step) => learningRateAt(step, 20, 1, 0.1));
  expect(rates.slice(0, 3)).toEqual([0.5, 1, 1]);
  expect(rates[19]).toBeCloseTo(1 / 18, 12);
  expect(rates.slice(2)).toEqual(rates.slice(2).toSorted((a, b) => b - a));
  expect(learningRateAt(0, 1, 1, 0.1)).toBe(1);
});

describe('a journal of passages', () => {
  const folder = temporaryFolder();
  const found = [{ document: 'd', passage: 'text' }];

  test('gives back what was added, without the line that a kill cut off', async () => {
    const file = join(folder, 'a.jsonl');
    const journal = await openFoundJournal(file, 'key');
    await journal.append({ query: '1', found });
    await journal.close();
    appendFileSync(file, '0123456789abcdef {"query":"2","fou');
    const again = await openFoundJournal(file, 'key');
    expect([(await again.get('1'))?.found, await again.get('2')]).toEqual([found, undefined]);
    await again.append({ query: '2', found });
    await again.close();
    const third = await openFoundJournal(file, 'key');
    expect((await third.get('2'))?.found).toEqual(found);
    await third.close();
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
  });

  test('starts anew for another configuration', async () => {
    const file = join(folder, 'b.jsonl');
    const journal = await openFoundJournal(file, 'key');
    await journal.append({ query: '1', found });
    await journal.close();
    const other = await openFoundJournal(file, 'other');
    expect(await other.get('1')).toBeUndefined();
    await other.close();
  });
});

describe('training options', () => {
  test.each([
    [{ steps: 3, epochs: 2 }, 'epochs and steps exclude each other'],
    [{ batch: 0 }, 'batch must be a whole number from 1'],
    [{ learningRate: -1 }, 'learningRate must be a number from'],
    [{ groupSize: 4 }, 'groupSize belongs to the loss listwise or residual, not to pointwise'],
    [{ loss: 'listwise', lossAlpha: 0.3 }, 'lossAlpha belongs to the loss residual, not to listwise'],
    [{ loss: 'residual', negatives: 7 }, 'negatives belongs to the loss pointwise or pairwise or listwise'],
    [{ loss: 'residual', lossAlpha: 2 }, 'lossAlpha must be a number from 0 to 1, not 2'],
    [{ loss: 'hinge' }, 'loss must be one of pointwise, pairwise, listwise, residual, not "hinge"'],
    [{ epoch: 3 }, 'there is no option "epoch"'],
  ])('%j are refused', (options, message) => {
    expect(() => settingsFrom(options as never)).toThrow(message);
  });

  test('of the residual loss are of its own where nothing is said', () => {
    expect(settingsFrom({ loss: 'residual' })).toMatchObject({
      groupSize: 24,
      batch: 96,
      lossAlpha: 0.3,
      lossBeta: 0.95,
      learningRate: 1e-6,
    });
    expect(settingsFrom({ loss: 'listwise' })).toMatchObject({ groupSize: 8, batch: 32 });
  });

  test("are the paper's where nothing is said", () => {
    expect(settingsFrom()).toMatchObject({
      epochs: 2,
      batch: 32,
      learningRate: 1e-6,
      warmup: 0.1,
      maxLength: 384,
      dropout: 0.1,
      loss: 'pointwise',
      depth: 1000,
    });
  });
});
