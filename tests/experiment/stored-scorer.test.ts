import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TextPair } from '../../src/bert/index.js';
import { WorkStore } from '../../src/experiment/work/store.js';
import { StoredScorer } from '../../src/experiment/work/stored-scorer.js';
import { temporaryFolder } from '../support/folders.js';
import { hashToUnit } from '../expansion/fake-scorer.js';

const folder = temporaryFolder();
let stores = 0;

/** A scorer over a store of its own (or a given one) that writes down the calls of the model behind it. */
function stored(
  identity = 'm',
  path = join(folder, `store-${++stores}`),
  failAfter = Infinity,
  machine = 'here',
) {
  const store = new WorkStore(path);
  const calls: TextPair[][] = [];
  let opened = 0;
  const open = async () => {
    opened++;
    return {
      scorer: {
        async score(pairs: readonly TextPair[]) {
          if (calls.length >= failAfter) throw new Error('killed');
          calls.push([...pairs]);
          return Float32Array.from(pairs, ({ a, b }) => hashToUnit(`${a}\n${b}`));
        },
        close: async () => undefined,
      },
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

const expected = (pairs: readonly TextPair[]): number[] =>
  pairs.map(({ a, b }) => Math.fround(hashToUnit(`${a}\n${b}`)));

describe('a scorer in front of a store', () => {
  test('answers in the order of the pairs', async () => {
    const { scorer } = stored();
    const pairs = pairsOf(3, 50);
    expect([...(await scorer.score(pairs))]).toEqual(expected(pairs));
  });

  test('asks the model once, and of more chunks only the new ones', async () => {
    const { scorer, calls, opened } = stored();
    await scorer.score(pairsOf(3, 20));
    await scorer.score(pairsOf(3, 20));
    expect(calls.flat()).toHaveLength(60);
    const more = pairsOf(5, 20);
    expect([...(await scorer.score(more))]).toEqual(expected(more));
    expect(calls.flat()).toHaveLength(100);
    expect(opened()).toBe(1);
  });

  test('does not mix models, nor lists of passages', async () => {
    const first = stored('one');
    await first.scorer.score(pairsOf(2, 5));
    await first.store.close();
    const second = stored('two', first.path);
    await second.scorer.score(pairsOf(2, 5));
    expect(second.calls.flat()).toHaveLength(10);
    await second.scorer.score(pairsOf(2, 6));
    expect(second.calls.flat()).toHaveLength(22);
  });

  test('keeps scores across processes without loading the model', async () => {
    const { scorer, store, path } = stored();
    const pairs = pairsOf(4, 10);
    await scorer.score(pairs);
    await store.close();
    const later = stored('m', path);
    expect([...(await later.scorer.score(pairs))]).toEqual(expected(pairs));
    expect(later.opened()).toBe(0);
  });

  test('puts the same batches to the model after it was stopped between two of them', async () => {
    const pairs = pairsOf(10, 1000);
    const whole = stored();
    await whole.scorer.score(pairs);
    const stopped = stored('m', join(folder, 'stopped'), 2);
    await expect(stopped.scorer.score(pairs)).rejects.toThrow('killed');
    await stopped.store.close();
    const resumed = stored('m', stopped.path);
    expect([...(await resumed.scorer.score(pairs))]).toEqual(expected(pairs));
    expect([...stopped.calls, ...resumed.calls]).toEqual(whole.calls);
    expect(whole.calls.length).toBeGreaterThan(2);
  });

  test('tells what the pairs cost, stored or not', async () => {
    const { scorer } = stored();
    await scorer.score(pairsOf(2, 5));
    const use = scorer.takeUse();
    expect(use.tokens).toBe(100);
    expect(use.flops).toBeGreaterThan(0);
    await scorer.score(pairsOf(2, 5));
    expect(scorer.takeUse()).toEqual(use);
    const nothing = { seconds: 0, machine: 'here' };
    expect(scorer.takeUse()).toEqual({ tokens: 0, flops: 0, timing: nothing });
  });

  test('tells what the pairs took when they were scored, not how fast they are found again', async () => {
    const { scorer, store, path } = stored();
    await scorer.score(pairsOf(2, 5));
    const { timing } = scorer.takeUse();
    expect(timing!.seconds).toBeGreaterThan(0);
    await store.close();
    const later = stored('m', path);
    await later.scorer.score(pairsOf(1, 5));
    const half = later.scorer.takeUse().timing!;
    await later.scorer.score(pairsOf(2, 5));
    expect(later.scorer.takeUse().timing).toEqual(timing);
    // Rows alike in arithmetic share alike.
    expect(half.seconds).toBeCloseTo(timing!.seconds / 2, 12);
    await later.store.close();
  });

  test('knows no time where a part was scored on another machine', async () => {
    const { scorer, store, path } = stored();
    await scorer.score(pairsOf(2, 5));
    await store.close();
    const there = stored('m', path, Infinity, 'there');
    await there.scorer.score(pairsOf(3, 5));
    expect(there.scorer.takeUse()).toMatchObject({ tokens: 150, timing: undefined });
    await there.store.close();
  });

  test('knows no time of rows from before it was measured', async () => {
    const path = join(folder, 'untimed');
    const timed = stored('m', path);
    const { putRows } = WorkStore.prototype;
    timed.store.putRows = (rows) =>
      putRows.call(
        timed.store,
        [...rows].map(([key, row]) => [key, { ...row, timing: undefined }] as const),
      );
    await timed.scorer.score(pairsOf(2, 5));
    await timed.store.close();
    const later = stored('m', path);
    await later.scorer.score(pairsOf(2, 5));
    expect(later.scorer.takeUse()).toMatchObject({ tokens: 100, timing: undefined });
    await later.store.close();
  });
});
