import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzerBases } from '../../../src/retrieval/analysis/bases.js';
import { createAnalyzer } from '../../../src/retrieval/analysis/analyzer.js';

/** Any sequence of UTF-16 units, lone surrogates and all; English; and text that is rich in what the rules turn on. */
const anyText = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom('the', "dog's", 'RUNNING', 'co-op', '3.14', 'U.S.', 'x_y', 'naïve'))
    .map((w) => w.join(' ')),
  fc.string({
    unit: fc.constantFrom(
      ...'aB1_.,:\'"# ',
      'é',
      '\u0301',
      '\u200d',
      '\ufe0f',
      'א',
      'ア',
      '漢',
      '😀',
      '\ud83d',
    ),
  }),
);

describe.each(analyzerBases)('%s', (base) => {
  const analyzer = createAnalyzer({ base });

  it('makes terms of any sequence of UTF-16 units, none of them empty or with a space in it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        // Unicode's word rules join words by a narrow no-break space (U+202F) as they do by "_", and so does Lucene.
        for (const term of analyzer.analyze(text)) expect(term).toMatch(/^[\u202f\P{White_Space}]+$/u);
      }),
      { numRuns: 2000 },
    );
  });

  it('makes of two texts with a space between them what it makes of each', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(analyzer.analyze(`${one} ${other}`)).toEqual([
          ...analyzer.analyze(one),
          ...analyzer.analyze(other),
        ]);
      }),
      { numRuns: 2000 },
    );
  });

  it('makes the same of a text whatever it has seen before', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const fresh = createAnalyzer({ base });
        expect(analyzer.analyze(text)).toEqual(fresh.analyze(text));
      }),
      { numRuns: 60 },
    );
  });

  it('finds nothing more to cut in its own words', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const word of analyzer.tokenize(text)) expect(analyzer.tokenize(`${word} x`).length).toBe(2);
      }),
      { numRuns: 1000 },
    );
  });
});
