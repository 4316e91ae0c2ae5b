import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BertQE } from '../../src/expansion/index.js';
import { passagesOf } from '../../src/expansion/passages.js';
import { plainPassages } from '../../src/expansion/plain.js';
import { settingsFrom } from '../../src/expansion/options.js';
import { isOneWindow } from '../../src/expansion/windows.js';
import { FakeScorer, fakeModel, spreads } from './fake-scorer.js';

/** Words of all kinds of letters, and what may stand between them. */
const text = fc
  .array(fc.constantFrom('a', 'sea', 'wave', 'héron', '水', ' ', '\t', '\u00a0', '\u3000', '\u0007'), {
    maxLength: 14,
  })
  .map((words) => words.join(' '));
const word = fc.constantFrom('a', 'sea', 'wave', 'héron', '水');
const even = fc.array(word, { minLength: 1, maxLength: 14 }).map((words) => words.join(' '));

/** What it took apart; numbers as they are, to the last bit. */
const withoutSeconds = (found: object): unknown =>
  JSON.parse(JSON.stringify(found, (key, value: unknown) => (key === 'seconds' ? 0 : value)));

const wordsOf = (count: number) => Array<string>(count).fill('é').join(' ');

describe('a text is one window', () => {
  test('only where its passage is the text itself', () => {
    const shape = { length: 8, overlap: 3, titleWords: 0 };
    fc.assert(
      fc.property(fc.oneof(text, even), (text) => {
        if (isOneWindow(text, shape)) expect(passagesOf({ text }, shape)).toEqual([text]);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    [{ length: 8, overlap: 3 }, 10, 11],
    [{ length: 8, overlap: 0 }, 8, 9],
  ])('of %o up to %d words, not of %d', (shape, most, tooMany) => {
    expect(isOneWindow(wordsOf(most), shape)).toBe(true);
    expect(isOneWindow(wordsOf(tooMany), shape)).toBe(false);
    expect(isOneWindow('', shape)).toBe(false);
  });
});

describe('documents of one passage, without expansion,', () => {
  test('are ranked as the phases rank them: same places, same bits, same cost', async () => {
    const documents = fc.array(
      fc.oneof(
        even,
        fc.record({ id: fc.string({ maxLength: 2 }), text: even }),
        fc.record({ text: fc.oneof(text, even) }),
      ),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(documents, fc.nat(99), fc.constantFrom(...spreads), async (docs, seed, spread) => {
        const rerank = async (explain: boolean) => {
          const scorer = new FakeScorer(fakeModel(seed, spread));
          const bertQe = new BertQE({ phaseOne: scorer }, { expansion: false, passageWords: 8 });
          // An explanation takes the long way.
          const { explanation: _, ...found } = await bertQe.rerank('sea', docs, { explain });
          return { found: withoutSeconds(found), asked: scorer.asked };
        };
        expect(await rerank(false)).toEqual(await rerank(true));
      }),
      { numRuns: 200 },
    );
  });

  test('take the short way; whatever else is wanted does not', () => {
    const plain = settingsFrom({ expansion: false });
    expect(plainPassages(['a b', { text: 'c' }], {}, plain)).toEqual(['a b', 'c']);
    expect(plainPassages(['a b'], { topK: 1 }, plain)).toEqual(['a b']);
    for (const wanted of [{ topK: 1 }, { deadline: 5 }, { explain: true }])
      expect(plainPassages(['a', 'b'], wanted, plain)).toBeUndefined();
    for (const settings of [settingsFrom(), settingsFrom({ expansion: false, depth: 1 })])
      expect(plainPassages(['a', 'b'], {}, settings)).toBeUndefined();
    const others = [{ text: 'a', title: 'b' }, { text: 'a', score: 1 }, '', 'a  b', { text: 1 as never }];
    for (const other of others) expect(plainPassages(['a', other], {}, plain)).toBeUndefined();
  });
});

test('options are checked once where they cannot change, each time where they can', () => {
  const frozen = Object.freeze({ kd: 3 });
  expect(settingsFrom(frozen)).toBe(settingsFrom(frozen));
  const open = { kd: 3 };
  settingsFrom(open);
  open.kd = 4;
  expect(settingsFrom(open).kd).toBe(4);
});
