import { describe, expect, it } from 'vitest';
import { analyzerBases } from '../../../src/retrieval/analysis/bases.js';
import { createAnalyzer } from '../../../src/retrieval/analysis/analyzer.js';
import { TERRIER_STOPWORDS } from '../../../src/retrieval/analysis/stopwords/terrier.js';
import { trickyTexts } from './tricky.js';

const sentence = "The Turing's machines ARE running in Café N°1, don't they?";

describe('createAnalyzer', () => {
  it('follows Anserini: Unicode words, no possessives, few stop words, Porter', () => {
    const terms = createAnalyzer({ base: 'anserini' }).analyze(sentence);
    expect(terms).toEqual(['ture', 'machin', 'run', 'café', 'n', '1', "don't"]);
  });

  it('follows Terrier: ASCII words, many stop words, Porter', () => {
    expect(createAnalyzer({ base: 'terrier' }).analyze(sentence)).toEqual([
      'ture',
      'machin',
      'run',
      'caf',
      '1',
      'don',
    ]);
  });

  it('can be plain: lower-cased words and nothing else', () => {
    const terms = createAnalyzer({ base: 'plain' }).analyze(sentence);
    expect(terms.join(' ')).toBe("the turing's machines are running in café n 1 don't they");
  });

  it('keeps repeats, in order', () => {
    expect(createAnalyzer({ base: 'anserini' }).analyze('b a b A c b')).toEqual(['b', 'b', 'c', 'b']);
  });

  it('takes a stop list of one’s own, whatever its case, before stemming', () => {
    const analyzer = createAnalyzer({ base: 'anserini', stopwords: new Set([' Machines ', 'CAFÉ']) });
    expect(analyzer.analyze('the machine, the machines, the café')).toEqual(['the', 'machin', 'the', 'the']);
  });

  it('keeps every word where there are to be no stop words', () => {
    const analyzer = createAnalyzer({ base: 'terrier', stopwords: 'none' });
    expect(analyzer.analyze('to be or not to be')).toEqual(['to', 'be', 'or', 'not', 'to', 'be']);
  });

  it('leaves words whole where there is to be no stemming, and stems plain ones where asked', () => {
    expect(createAnalyzer({ base: 'anserini', stemmer: 'none' }).analyze('the machines')).toEqual([
      'machines',
    ]);
    expect(createAnalyzer({ base: 'plain', stemmer: 'porter' }).analyze('the machines')).toEqual([
      'the',
      'machin',
    ]);
  });

  it('names what differs from the base', () => {
    expect(createAnalyzer({ base: 'plain' }).name).toBe('plain');
    expect(createAnalyzer({ base: 'plain', stopwords: 'none' }).name).toBe('plain');
    expect(createAnalyzer({ base: 'terrier', stopwords: 'none' }).name).toBe('terrier, no stop words');
    expect(createAnalyzer({ base: 'anserini', stopwords: ['x', 'y'], stemmer: 'none' }).name).toBe(
      'anserini, 2 own stop words, no stemming',
    );
    expect(createAnalyzer({ base: 'plain', stemmer: 'porter' }).name).toBe('plain, porter stemming');
  });

  it.each([
    [{ base: 'english' }, 'There is no analyzer "english", expected one of: anserini, terrier, plain.'],
    [{ base: 'plain', stemmer: 'krovetz' }, 'There is no stemmer "krovetz", expected one of: porter, none.'],
    [{ base: 'plain', stopwords: 'the' }, `Stop words are a list of words or 'none', not the text "the".`],
    [{ base: 'plain', stopwords: ['a', 'b c'] }, '"b c" is not a stop word; give a list of single words.'],
    [{ base: 'plain', stopwords: ['a', ' '] }, '" " is not a stop word; give a list of single words.'],
    [{ base: 'plain', stopwords: [1] }, '1 is not a stop word; give a list of single words.'],
  ])('refuses %j', (options, message) => {
    const create = () => createAnalyzer(options as Parameters<typeof createAnalyzer>[0]);
    expect(create).toThrow(expect.objectContaining({ code: 'usage', message }));
  });
});

describe('tokenize and termOf', () => {
  it('are the two halves of analyze', () => {
    for (const base of analyzerBases) {
      const analyzer = createAnalyzer({ base });
      for (const text of trickyTexts) {
        const terms = analyzer.tokenize(text).map((word) => analyzer.termOf(word));
        expect(terms.filter((term) => term !== '')).toEqual(analyzer.analyze(text));
      }
    }
  });

  it('give words as a stop list has them: lower-cased, unstemmed, stop words among them', () => {
    expect(createAnalyzer({ base: 'terrier' }).tokenize("The Flows' 123456 FLOW")).toEqual([
      'the',
      'flows',
      'flow',
    ]);
    expect(createAnalyzer({ base: 'anserini' }).tokenize("The Flow's FLOW")).toEqual(['the', 'flow', 'flow']);
  });
});

describe('numbering', () => {
  it('gives the numbers of the terms that analyze gives, asking little more than once for each', () => {
    for (const base of analyzerBases) {
      const analyzer = createAnalyzer({ base });
      const terms: string[] = [];
      let asked = 0;
      const number = analyzer.numbering((term) => {
        asked++;
        if (!terms.includes(term)) terms.push(term);
        return terms.indexOf(term);
      });
      for (const text of trickyTexts) {
        expect(number(text).map((n) => terms[n])).toEqual(analyzer.analyze(text));
      }
      const before = asked;
      number('flow flows FLOW flow flows FLOW the the flow');
      expect(asked - before).toBeLessThanOrEqual(4);
    }
  });
});

describe('numbering that fails', () => {
  it('leaves nothing behind for the next text', () => {
    const number = createAnalyzer({ base: 'plain' }).numbering((term) => {
      if (term === 'bad') throw new Error('no number');
      return term.length;
    });
    expect(() => number('one bad three')).toThrow('no number');
    expect(number('three seventeen')).toEqual([5, 9]);
  });
});

describe('long texts and texts within texts', () => {
  it('are read whole, however long', () => {
    const words = Array.from({ length: 60_000 }, (_, i) => `w${i % 1000} naïve${i % 7}`);
    const text = words.join(' ');
    expect(text.length).toBeGreaterThan(1 << 19);
    expect(createAnalyzer({ base: 'plain' }).analyze(text).join(' ')).toBe(text);
  });

  it('may be analysed while the terms of another are being numbered', () => {
    const inner = createAnalyzer({ base: 'plain' });
    const number = createAnalyzer({ base: 'plain' }).numbering((term) => {
      expect(inner.analyze('quite another text')).toEqual(['quite', 'another', 'text']);
      return term.length;
    });
    expect(number('one three seventeen one')).toEqual([3, 5, 9, 3]);
  });
});

describe('the stop list of Terrier', () => {
  it('has only words its tokeniser can produce', () => {
    const analyzer = createAnalyzer({ base: 'terrier' });
    for (const word of TERRIER_STOPWORDS) expect(analyzer.tokenize(word)).toEqual([word]);
    expect(TERRIER_STOPWORDS.size).toBe(725);
  });
});
