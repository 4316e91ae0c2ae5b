import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkSpans, inContext, segmentsOf } from '../../web/src/model/highlight.js';
import { termMatcher, termOf } from '../../web/src/model/terms.js';

const words = fc.array(fc.stringMatching(/^[a-z]{1,5}$/), { maxLength: 30 });
const span = fc
  .tuple(fc.nat(9), fc.integer({ min: -5, max: 30 }), fc.integer({ min: 1, max: 12 }))
  .map(([chunk, start, length]) => ({ chunk, start, end: start + length }));

describe('segments of a passage', () => {
  it('mark overlapping chunks word by word', () => {
    const text = 'a slender deck may ripple under gusts'.split(' ');
    const spans = [
      { chunk: 0, start: 1, end: 4 },
      { chunk: 3, start: 3, end: 5 },
    ];
    expect(segmentsOf(text, spans, (word) => word === 'ripple')).toEqual([
      { text: 'a', chunks: [], isTerm: false },
      { text: 'slender deck', chunks: [0], isTerm: false },
      { text: 'may', chunks: [0, 3], isTerm: false },
      { text: 'ripple', chunks: [3], isTerm: true },
      { text: 'under gusts', chunks: [], isTerm: false },
    ]);
  });

  it('are the text again, and neighbours differ', () => {
    fc.assert(
      fc.property(words, fc.array(span, { maxLength: 5 }), (text, spans) => {
        const segments = segmentsOf(text, spans, (word) => word.length > 3);
        expect(segments.map((segment) => segment.text).join(' ')).toBe(text.join(' '));
        segments.slice(1).forEach((segment, i) => {
          const { text: _, ...marks } = segment;
          const { text: __, ...before } = segments[i];
          expect(marks).not.toEqual(before);
        });
      }),
    );
  });

  it('cover exactly the words of a chunk', () => {
    fc.assert(
      fc.property(words, span, (text, one) => {
        const marked = segmentsOf(text, [one])
          .filter(({ chunks }) => chunks.length > 0)
          .map((segment) => segment.text)
          .join(' ');
        expect(marked).toBe(text.slice(Math.max(0, one.start), Math.max(0, one.end)).join(' '));
      }),
    );
  });
});

describe('a chunk in its context', () => {
  const passage = 'one two three four five six seven eight nine ten'.split(' ');

  it('shows words around it, and that there are more', () => {
    expect(inContext(passage, 4, 6, 2)).toEqual({
      before: '… three four',
      text: 'five six',
      after: 'seven eight …',
    });
  });

  it('has no ellipsis at the ends of the passage', () => {
    expect(inContext(passage, 0, 2, 3)).toEqual({ before: '', text: 'one two', after: 'three four five …' });
    expect(inContext(passage, 8, 10, 3)).toEqual({
      before: '… six seven eight',
      text: 'nine ten',
      after: '',
    });
  });

  it('is found in the document it was cut from only', () => {
    const chunks = [
      { document: 'a', start: 0, words: 10 },
      { document: 'b', start: 5, words: 10 },
      { document: 'a', start: 5, words: 7 },
    ];
    expect(chunkSpans('a', chunks)).toEqual([
      { chunk: 0, start: 0, end: 10 },
      { chunk: 2, start: 5, end: 12 },
    ]);
    expect(chunkSpans('c', chunks)).toEqual([]);
  });
});

describe('words that are looked for', () => {
  it('are found in other forms and with punctuation', () => {
    const isTerm = termMatcher(['digging under rivers']);
    expect(['dig', '“Rivers,”', "river's", 'River.'].map((word) => isTerm(word))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('leave out stop words and bare punctuation', () => {
    const isTerm = termMatcher(['what makes the dough rise –']);
    expect(['the', 'what', '–', '...', ''].map((word) => isTerm(word))).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(termOf('—')).toBe('');
  });
});
