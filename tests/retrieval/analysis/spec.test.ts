import { describe, expect, it } from 'vitest';
import { hashJson } from '../../../src/common/hash.js';
import { analyzerBases } from '../../../src/retrieval/analysis/bases.js';
import { analyzerFromSpec, createAnalyzer } from '../../../src/retrieval/analysis/analyzer.js';
import { type AnalyzerOptions, analyzerSpec, stopwordsOf } from '../../../src/retrieval/analysis/spec.js';
import { BASES } from '../../../src/retrieval/analysis/bases.js';
import { trickyTexts } from './tricky.js';

const variants: AnalyzerOptions[] = [
  ...analyzerBases.map((base) => ({ base })),
  ...analyzerBases.map((base) => ({ base, stopwords: ['flow', 'Ünder'] })),
  { base: 'anserini', stopwords: 'none' },
  { base: 'terrier', stopwords: 'none', stemmer: 'none' },
  { base: 'anserini', stemmer: 'none' },
];

describe('an analyzer’s spec', () => {
  it.each(variants)('survives JSON and gives the same analyzer again: %j', (options) => {
    const analyzer = createAnalyzer(options);
    const stored = JSON.parse(JSON.stringify(analyzer.spec)) as unknown;
    const again = analyzerFromSpec(stored);
    expect(again.spec).toEqual(analyzer.spec);
    expect(again.name).toBe(analyzer.name);
    for (const text of trickyTexts) expect(again.analyze(text)).toEqual(analyzer.analyze(text));
  });

  it('is the same however the same stop words are given', () => {
    const spec = { base: 'plain', stopwords: ['and', 'the'], stemmer: 'none' };
    expect(analyzerSpec({ base: 'plain', stopwords: ['the', 'And', 'THE'] })).toEqual(spec);
    expect(analyzerSpec({ base: 'plain', stopwords: new Set(['and', 'the']).values() })).toEqual(spec);
    expect(analyzerSpec({ base: 'plain', stopwords: [] }).stopwords).toBe('none');
    expect(analyzerSpec({ base: 'plain' }).stopwords).toBe('none');
    expect(analyzerSpec({ base: 'anserini', stopwords: BASES.anserini.stopwords }).stopwords).toBe('default');
    expect(analyzerSpec({ base: 'terrier', stopwords: BASES.anserini.stopwords }).stopwords).toHaveLength(33);
  });

  it.each([
    [undefined, 'the analyzer is undefined, expected an object'],
    [null, 'the analyzer is null, expected an object'],
    ['anserini', 'the analyzer is "anserini", expected an object'],
    [{ base: 'x', stopwords: 'none', stemmer: 'none' }, 'there is no analyzer "x"'],
    [{ base: 'plain', stopwords: 'none' }, 'there is no stemmer undefined'],
    [{ base: 'plain', stemmer: 'none' }, 'its stop words are undefined'],
    [{ base: 'plain', stopwords: 'some', stemmer: 'none' }, 'its stop words are "some"'],
    [{ base: 'plain', stopwords: ['a', 1], stemmer: 'none' }, 'its stop words are ["a",1]'],
  ])('is refused where it is damaged: %j', (stored, problem) => {
    expect(() => analyzerFromSpec(stored)).toThrow(
      expect.objectContaining({ code: 'corrupt', message: expect.stringContaining(problem) }),
    );
  });
});

describe('specs of analyzers', () => {
  it('differ wherever the terms may differ', () => {
    const specs = variants.map((options) => JSON.stringify(analyzerSpec(options)));
    expect(new Set(specs).size).toBe(variants.length);
  });

  it('stand for rules that never change, so that old indexes are read as they were made', () => {
    const rulesOf = analyzerBases.map((base) => {
      const spec = analyzerSpec({ base });
      return hashJson(1, base, [...stopwordsOf(spec)].sort(), spec.stemmer).slice(0, 16);
    });
    expect(rulesOf).toEqual(['38ac980ba6783a19', 'f9873b685c78777c', 'd9e2435b63e1627b']);
  });
});
