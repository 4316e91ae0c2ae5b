import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scorer, TextPair } from '../../src/bert/types.js';

const texts = [
  'how bees find flowers',
  'Honey bees see ultraviolet patterns on petals and remember the way to a good meadow.',
  'A suspension bridge hangs its roadway from cables draped over tall towers.',
  'coffee',
  '',
  'Ünïcode — 漢字 and 🐝 emoji',
  'word '.repeat(700),
];

/** Every text with every other, itself included. */
const pairs: readonly TextPair[] = texts.flatMap((a) => texts.map((b) => ({ a, b })));

const TOLERANCE = 1e-5;

/** The contract of a Scorer; `open` is called once per suite and once per closing test. */
export function scorerContract(name: string, open: () => Promise<Scorer>): void {
  describe(`${name} keeps the scorer contract`, () => {
    let scorer: Scorer;
    let expected: Float32Array;
    beforeAll(async () => {
      scorer = await open();
      expected = await scorer.score(pairs);
    });
    afterAll(async () => scorer?.close());

    it('gives one probability per pair', () => {
      expect(expected).toHaveLength(pairs.length);
      for (const score of expected) {
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
      }
    });

    it('gives nothing for nothing', async () => {
      expect(await scorer.score([])).toHaveLength(0);
    });

    it('scores a pair the same whatever it is scored with, in the order of the pairs', async () => {
      const reversed = (await scorer.score(pairs.toReversed())).toReversed();
      const alone: number[] = [];
      for (const pair of pairs) alone.push((await scorer.score([pair]))[0]);
      const thrice = await scorer.score([...pairs, ...pairs, ...pairs]);
      pairs.forEach((_, i) => {
        for (const score of [reversed[i], alone[i], thrice[i], thrice[i + 2 * pairs.length]]) {
          expect(Math.abs(score - expected[i])).toBeLessThanOrEqual(TOLERANCE);
        }
      });
    });

    it('tells which text stands first', async () => {
      const [forth, back] = await scorer.score([
        { a: texts[0], b: texts[1] },
        { a: texts[1], b: texts[0] },
      ]);
      expect(forth).not.toBe(back);
    });

    it('serves several callers at once', async () => {
      const results = await Promise.all([scorer.score(pairs), scorer.score(pairs), scorer.score(pairs)]);
      for (const scores of results) {
        scores.forEach((score, i) => expect(Math.abs(score - expected[i])).toBeLessThanOrEqual(TOLERANCE));
      }
    });

    it('reports progress that grows and ends at the total', async () => {
      const seen: number[] = [];
      await scorer.score(pairs, {
        onProgress: (done, total) => {
          expect(total).toBe(pairs.length);
          seen.push(done);
        },
      });
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      expect(seen.at(-1)).toBe(pairs.length);
    });

    it('does not start when its signal has already fired', async () => {
      const rejected = scorer.score(pairs, { signal: AbortSignal.abort() });
      await expect(rejected).rejects.toMatchObject({ code: 'aborted' });
    });

    it('stops when its signal fires, and scores again afterwards', async () => {
      const controller = new AbortController();
      const many = Array.from({ length: 40 }, () => pairs).flat();
      const rejected = scorer.score(many, {
        signal: controller.signal,
        onProgress: () => controller.abort(),
      });
      await expect(rejected).rejects.toMatchObject({ code: 'aborted' });
      expect(await scorer.score(pairs.slice(0, 3))).toHaveLength(3);
    });

    it('finishes what runs when it is closed, and refuses what comes after', async () => {
      const other = await open();
      const running = other.score(pairs);
      const closing = other.close();
      expect(await running).toHaveLength(pairs.length);
      await closing;
      await other.close();
      await expect(other.score(pairs)).rejects.toMatchObject({ code: 'usage' });
    });
  });
}
