import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupsOf, targetsOf } from '../../src/training/data/example-data.js';
import { microBatches } from '../../src/training/data/sequences.js';
import { BatchSampler } from '../../src/training/data/training-data.js';

describe('the order of training', () => {
  const queries = [3, 4, 5].map((count, relevant) => ({
    query: { id: String(relevant), text: 'x' },
    examples: Array.from({ length: count }, (_, i) => ({
      document: `d${i}`,
      relevant: i < relevant,
      passage: 'p',
    })),
  }));
  const samplerOf = (settings: Parameters<typeof groupsOf>[1] & { batch: number }) =>
    new BatchSampler(groupsOf(queries, settings), settings);

  test('shows every example once an epoch, in another order each time', () => {
    const sampler = samplerOf({ loss: 'pointwise', groupSize: 1, batch: 4, seed: 1 });
    expect(sampler.groups).toBe(12);
    expect(sampler.stepsIn(2)).toBe(6);
    const epoch = (number: number): number[] =>
      [0, 1, 2].flatMap((step) => sampler.batch(number * 3 + step)).map(([one]) => one);
    const all = Array.from({ length: 12 }, (_, i) => i);
    for (const number of [0, 1, 2]) expect(epoch(number).toSorted((a, b) => a - b)).toEqual(all);
    expect(epoch(0)).not.toEqual(epoch(1));
    // Any step can be had at any time.
    expect(epoch(0)).toEqual(epoch(0));
  });

  test('crosses from one epoch to the next where the batch does not divide it', () => {
    const sampler = samplerOf({ loss: 'pointwise', groupSize: 1, batch: 5, seed: 1 });
    const seen = Array.from({ length: 12 }, (_, step) => sampler.batch(step)).flat(2);
    const counts = new Map<number, number>();
    for (const one of seen) counts.set(one, (counts.get(one) ?? 0) + 1);
    expect([...counts.values()]).toEqual(Array.from({ length: 12 }, () => 5));
  });

  test('by groups sets each relevant example against others of its query', () => {
    const sampler = samplerOf({ loss: 'listwise', groupSize: 4, batch: 8, seed: 1 });
    expect([sampler.groups, sampler.groupsPerStep]).toEqual([3, 2]);
    for (const [first, ...others] of sampler.batch(0)) {
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

test('micro-batches hold every sequence once, within the budget, groups whole', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 300 }),
      (lengths, groupSize, tokens) => {
        const whole = lengths.slice(0, Math.floor(lengths.length / groupSize) * groupSize);
        const sequences = whole.map((length, i) => ({ ids: new Int32Array(length).fill(i), split: 0 }));
        const cut = microBatches(sequences, tokens, groupSize);
        expect(cut.flatMap(({ places }) => places).toSorted((a, b) => a - b)).toEqual([...sequences.keys()]);
        for (const { places, batch } of cut) {
          const longest = Math.max(...batch.lengths);
          expect(places.length === groupSize || places.length * longest <= tokens).toBe(true);
          expect([...batch.lengths]).toEqual(places.map((place) => whole[place]));
          for (let i = 0; i < places.length; i += groupSize) {
            expect(places.slice(i, i + groupSize)).toEqual(
              Array.from({ length: groupSize }, (_, at) => places[i] + at),
            );
          }
        }
      },
    ),
  );
});
