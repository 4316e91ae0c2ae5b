import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ScoreOptions, ScoringCost, TextPair } from '../../src/bert/index.js';
import { ScoreStore } from '../../src/experiment/store/score-store.js';
import { StoredScorer } from '../../src/experiment/store/stored-scorer.js';
import { temporaryFolder } from '../support/folders.js';
import { hashToUnit } from '../expansion/fake-scorer.js';

const folder = temporaryFolder();
let stores = 0;

/** A scorer over a store of its own (or a given one) that writes down the calls of the model behind it. */
async function stored(
  identity = 'm',
  path = join(folder, `store-${++stores}`),
  failAfter = Infinity,
  machine = 'here',
) {
  const store = await ScoreStore.open(path);
  const calls: TextPair[][] = [];
  let opened = 0;
  const open = async () => {
    opened++;
    return {
      async score(pairs: readonly TextPair[], { onCost }: ScoreOptions = {}) {
        if (calls.length >= failAfter) throw new Error('killed');
        calls.push([...pairs]);
        onCost?.({ tokens: 1e9, flops: 1e9 });
        return Float32Array.from(pairs, ({ a, b }) => hashToUnit(`${a}\n${b}`));
      },
      close: async () => undefined,
      costOf: (pairs: readonly TextPair[]) => ({ tokens: 10 * pairs.length, flops: 700 * pairs.length }),
    };
  };
  const scorer = new StoredScorer(identity, store, open, machine);
  return { scorer, store, calls, path, opened: () => opened };
}

/** Every chunk with every passage, passage by passage, as phase three asks. */
const pairsOf = (chunks: number, passages: number): TextPair[] =>
  Array.from({ length: chunks * passages }, (_, i) => ({
    a: `c${i % chunks}`,
    b: `p${Math.floor(i / chunks)}`,
  }));

/** The costs that a call reports. */
async function costsOf(scorer: StoredScorer, pairs: readonly TextPair[]): Promise<ScoringCost[]> {
  const costs: ScoringCost[] = [];
  await scorer.score(pairs, { onCost: (cost) => costs.push({ ...cost }) });
  return costs;
}

const expected = (pairs: readonly TextPair[]): number[] =>
  pairs.map(({ a, b }) => Math.fround(hashToUnit(`${a}\n${b}`)));

describe('a scorer in front of a store', () => {
  test('answers in the order of the pairs', async () => {
    const { scorer } = await stored();
    const pairs = pairsOf(3, 50);
    expect([...(await scorer.score(pairs))]).toEqual(expected(pairs));
  });

  test('asks the model once, and of more chunks only the new ones', async () => {
    const { scorer, calls, opened } = await stored();
    await scorer.score(pairsOf(3, 20));
    await scorer.score(pairsOf(3, 20));
    expect(calls.flat()).toHaveLength(60);
    const more = pairsOf(5, 20);
    expect([...(await scorer.score(more))]).toEqual(expected(more));
    expect(calls.flat()).toHaveLength(100);
    expect(opened()).toBe(1);
  });

  test('does not mix models, nor lists of passages', async () => {
    const first = await stored('one');
    await first.scorer.score(pairsOf(2, 5));
    await first.store.close();
    const second = await stored('two', first.path);
    await second.scorer.score(pairsOf(2, 5));
    expect(second.calls.flat()).toHaveLength(10);
    await second.scorer.score(pairsOf(2, 6));
    expect(second.calls.flat()).toHaveLength(22);
  });

  test('keeps scores across processes without loading the model', async () => {
    const { scorer, store, path } = await stored();
    const pairs = pairsOf(4, 10);
    await scorer.score(pairs);
    await store.close();
    const later = await stored('m', path);
    expect([...(await later.scorer.score(pairs))]).toEqual(expected(pairs));
    expect(later.opened()).toBe(0);
  });

  test('puts the same batches to the model after it was stopped between two of them', async () => {
    const pairs = pairsOf(10, 1000);
    const whole = await stored();
    await whole.scorer.score(pairs);
    const stopped = await stored('m', join(folder, 'stopped'), 2);
    await expect(stopped.scorer.score(pairs)).rejects.toThrow('killed');
    await stopped.store.close();
    const resumed = await stored('m', stopped.path);
    expect([...(await resumed.scorer.score(pairs))]).toEqual(expected(pairs));
    expect([...stopped.calls, ...resumed.calls]).toEqual(whole.calls);
    expect(whole.calls.length).toBeGreaterThan(2);
  });

  test('tells what the pairs cost, stored or not', async () => {
    const { scorer } = await stored();
    const cost = { tokens: 100, flops: 7000 };
    expect(await costsOf(scorer, pairsOf(2, 5))).toEqual([cost]);
    const timing = scorer.takeTiming();
    // Once for a call, and not what the model itself reports for the missing rows.
    expect(await costsOf(scorer, pairsOf(2, 5))).toEqual([cost]);
    expect(scorer.takeTiming()).toEqual(timing);
    expect(await costsOf(scorer, pairsOf(3, 5))).toEqual([{ tokens: 150, flops: 10500 }]);
    scorer.takeTiming();
    expect(scorer.takeTiming()).toEqual({ seconds: 0, machine: 'here' });
  });

  test('tells what the pairs took when they were scored, not how fast they are found again', async () => {
    const { scorer, store, path } = await stored();
    await scorer.score(pairsOf(2, 5));
    const timing = scorer.takeTiming();
    expect(timing!.seconds).toBeGreaterThan(0);
    await store.close();
    const later = await stored('m', path);
    await later.scorer.score(pairsOf(1, 5));
    const half = later.scorer.takeTiming()!;
    await later.scorer.score(pairsOf(2, 5));
    expect(later.scorer.takeTiming()).toEqual(timing);
    // Rows alike in arithmetic share alike.
    expect(half.seconds).toBeCloseTo(timing!.seconds / 2, 12);
    await later.store.close();
  });

  test('knows no time where a part was scored on another machine', async () => {
    const { scorer, store, path } = await stored();
    await scorer.score(pairsOf(2, 5));
    await store.close();
    const there = await stored('m', path, Infinity, 'there');
    expect(await costsOf(there.scorer, pairsOf(3, 5))).toMatchObject([{ tokens: 150 }]);
    expect(there.scorer.takeTiming()).toBeUndefined();
    await there.store.close();
  });

  test('knows no time of rows from before it was measured', async () => {
    const path = join(folder, 'untimed');
    const timed = await stored('m', path);
    const { putRows } = ScoreStore.prototype;
    timed.store.putRows = (rows) =>
      putRows.call(
        timed.store,
        [...rows].map(([key, row]) => [key, { ...row, timing: undefined }] as const),
      );
    await timed.scorer.score(pairsOf(2, 5));
    await timed.store.close();
    const later = await stored('m', path);
    expect(await costsOf(later.scorer, pairsOf(2, 5))).toMatchObject([{ tokens: 100 }]);
    expect(later.scorer.takeTiming()).toBeUndefined();
    await later.store.close();
  });
});
