import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sentencesOf, splitSentences } from '../../../src/expansion/birch/sentences.js';

describe('sentences', () => {
  test.each<[string, string[]]>([
    ['', []],
    [' \n\t ', []],
    ['One word', ['One word']],
    ['The bridge swayed. It fell at noon!', ['The bridge swayed.', 'It fell at noon!']],
    ['Why did it sway? Nobody knew.', ['Why did it sway?', 'Nobody knew.']],
    [
      'Dr. Moss met Mrs. Vale on St. John Street. They spoke.',
      ['Dr. Moss met Mrs. Vale on St. John Street.', 'They spoke.'],
    ],
    [
      'See Fig. 3 and Eq. 12 of ref. 4. The rest follows.',
      ['See Fig. 3 and Eq. 12 of ref. 4.', 'The rest follows.'],
    ],
    ['J. R. Hale wrote it. A. Stone read it.', ['J. R. Hale wrote it.', 'A. Stone read it.']],
    ['The U.S. Navy agreed. So did we.', ['The U.S. Navy agreed.', 'So did we.']],
    ['It was I. Then he left.', ['It was I.', 'Then he left.']],
    ['Prices rose 3.5 percent. Wages fell.', ['Prices rose 3.5 percent.', 'Wages fell.']],
    ['He said "stop." She did not.', ['He said "stop."', 'She did not.']],
    ['Wind\nand  rain\tcame. Then\n\nsun.', ['Wind and rain came.', 'Then sun.']],
    ['Really?! ... Yes.', ['Really?! ...', 'Yes.']],
    ['水が来た。人は逃げた。', ['水が来た。', '人は逃げた。']],
    // Texts without capital letters, as old test collections have them.
    ['the flow is steady . the wing is thin .', ['the flow is steady .', 'the wing is thin .']],
    [
      'it has two parts : 1. the wing 2. the tail. see fig. 4 there.',
      ['it has two parts : 1.', 'the wing 2.', 'the tail.', 'see fig. 4 there.'],
    ],
    ['2 . it is compatible. it is cheap.', ['2 . it is compatible.', 'it is cheap.']],
  ])('%j', (text, sentences) => {
    expect(splitSentences(text)).toEqual(sentences);
  });

  test('hold all the words of the text, in order', () => {
    const part = fc.constantFrom(
      'Wind',
      'rose',
      'fig.',
      'e.g.',
      '3.',
      '.',
      '?!',
      '"Oh"',
      'I.',
      '水。',
      '\u00a0',
      '\n',
      '👩‍🚀',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join(' ');
        const sentences = splitSentences(text);
        expect(sentences.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        for (const sentence of sentences) expect(sentence).toBe(sentence.trim().replace(/\s+/g, ' '));
      }),
      { numRuns: 500 },
    );
  });

  test('of a long text are those of its parts, and a text without any end is one', () => {
    const sentence = 'The wind rose over the long bridge, and it swayed.';
    expect(splitSentences(Array(500).fill(sentence).join(' '))).toEqual(Array(500).fill(sentence));
    expect(splitSentences('word '.repeat(5000)).length).toBe(1);
    expect(splitSentences('J. '.repeat(50_000)).length).toBe(1);
  });

  test('begin with the title, which the full stop of Robust04 is not', () => {
    expect(sentencesOf({ title: 'Bridges. A study', text: 'They sway.' })).toEqual([
      'Bridges. A study',
      'They sway.',
    ]);
    expect(sentencesOf({ title: '.', text: 'They sway.' })).toEqual(['They sway.']);
    expect(sentencesOf({ title: ' ', text: '' })).toEqual([]);
  });

  test('have at most 128 words; longer ones are cut, not shortened', () => {
    const words = Array.from({ length: 300 }, (_, i) => `w${i}`);
    const cut = sentencesOf({ text: words.join(' ') });
    expect(cut.map((sentence) => sentence.split(' ').length)).toEqual([128, 128, 44]);
    expect(cut.join(' ').split(' ')).toEqual(words);
  });
});
