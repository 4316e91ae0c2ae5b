import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Candidate } from '../../src/expansion/evidence.js';
import { keepLikelyPassages } from '../../src/expansion/likely-passages.js';
import { passagesOf, wholeText } from '../../src/expansion/passages.js';
import { windowSpans, wordsOf } from '../../src/expansion/windows.js';

const shape = { length: 4, overlap: 2, titleWords: 30 };

describe('passages', () => {
  test('each have the title in front', () => {
    expect(passagesOf({ title: 'On  Plates', text: 'a b c d e f' }, shape)).toEqual([
      'On Plates a b c d',
      'On Plates c d e f',
    ]);
  });

  test('take no more than the first words of the title', () => {
    const title = Array.from({ length: 40 }, (_, i) => `t${i}`).join(' ');
    const [passage] = passagesOf({ title, text: 'a' }, shape);
    expect(passage.split(' ').length).toBe(31);
    expect(passage.endsWith('t29 a')).toBe(true);
  });

  test.each(['', '   ', '.', ' . ', undefined])('have no title in front where it is %j', (title) => {
    const document = title === undefined ? { text: 'a b' } : { title, text: 'a b' };
    expect(passagesOf(document, shape)).toEqual(['a b']);
  });

  test('leave titles out when no title words are wanted', () => {
    expect(passagesOf({ title: 'Title', text: 'a b' }, { ...shape, titleWords: 0 })).toEqual(['a b']);
  });

  test('of a document without words are its title, or none', () => {
    expect(passagesOf({ title: 'Only a title', text: ' \n' }, shape)).toEqual(['Only a title']);
    expect(passagesOf({ text: '' }, shape)).toEqual([]);
    expect(passagesOf({ title: '.', text: '' }, shape)).toEqual([]);
  });
});

test('passages are the windows over the words, whatever stands between those', () => {
  const word = fc.constantFrom('a', 'bb', 'ß', '.', '\u{1F600}', '\ud800', 'x\u200by');
  const gap = fc.constantFrom(' ', ' ', ' ', '  ', '\n', '\t ', '\u00a0', '\ufeff', '\u2028', '');
  const text = fc.array(fc.tuple(gap, word, gap), { maxLength: 30 }).map((parts) => parts.flat().join(''));
  fc.assert(
    fc.property(text, text, fc.integer({ min: 1, max: 9 }), fc.nat(3), (body, title, length, titleWords) => {
      const cut = { length, overlap: Math.floor(length / 2), titleWords };
      const words = wordsOf(body);
      const before = titleWords === 0 ? [] : wordsOf(title).slice(0, titleWords);
      const shown = before.join(' ') === '.' ? [] : before;
      const spans = words.length === 0 ? [{ start: 0, end: 0 }] : windowSpans(words.length, cut);
      const expected = spans.map(({ start, end }) => [...shown, ...words.slice(start, end)].join(' '));
      expect(passagesOf({ title, text: body }, cut)).toEqual(expected.filter((passage) => passage !== ''));
    }),
  );
});

test('the whole text of a document is its title and its words', () => {
  expect(wholeText({ title: 'On Plates', text: ' a  b' }, shape)).toBe('On Plates a b');
  expect(wholeText({ text: 'a b' }, shape)).toBe('a b');
});

test('the choice of likely passages is given up between those of one document', async () => {
  const words = Array.from({ length: 5000 }, (_, i) => String.fromCodePoint(0x4e00 + i));
  const text = `${words.join(' ')} `.repeat(60);
  const input = { index: 0, id: '0', document: { text }, initial: undefined, initialRank: 1 };
  const candidate = new Candidate(input, { length: 100, overlap: 50, titleWords: 0 });
  const abort = new AbortController();
  setImmediate(() => abort.abort());
  const choice = keepLikelyPassages(words.join(' '), [candidate], abort.signal);
  await expect(choice).rejects.toMatchObject({ code: 'aborted' });
});
