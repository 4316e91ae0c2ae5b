import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Explanation } from '../../src/expansion/index.js';
import { caseArbitrary, libraryOf, query } from './cases.js';
import { renderExplanation } from '../../src/cli/explanation-text.js';

describe('an explanation', () => {
  test('adds up to the results: chunks, weights, every score and rank', async () => {
    await fc.assert(
      fc.asyncProperty(
        caseArbitrary(),
        fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
        async (testCase, topK) => {
          const { bertQe } = libraryOf(testCase);
          const { results, explanation, cost } = await bertQe.rerank(query, testCase.documents, {
            explain: true,
            queryId: 'q7',
            ...(topK === undefined ? {} : { topK }),
          });
          const { chunks, documents, ...rest } = explanation!;
          const { alpha, beta, kc, depth, phaseOneDepth, expansion } = bertQe.settings;
          const { passageChoice, chunkSource } = testCase.options;
          const isShortlisted = passageChoice === 'cascade' && chunkSource !== 'initial';
          expect(rest).toEqual({ query, id: 'q7', cost });
          expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
          expect(chunks.length).toBeLessThanOrEqual(expansion ? kc : 0);
          const ids = new Set(testCase.documents.map(({ id }) => id));
          const weights = chunks.reduce((sum, { weight }) => sum + weight, 0);
          if (chunks.length > 0) expect(weights).toBeCloseTo(1, 9);
          expect(chunks.every(({ document }) => ids.has(document))).toBe(true);
          expect(chunks.map(({ score }) => score)).toEqual(
            chunks.map(({ score }) => score).sort((a, b) => b - a),
          );

          const reranked = results.slice(0, isShortlisted ? Math.min(depth, phaseOneDepth!) : depth);
          expect(documents.map(({ id }) => id)).toEqual(reranked.map(({ id }) => id));
          for (const [i, document] of documents.entries()) {
            const isEmpty = document.passage === '';
            if (alpha > 0 && chunks.length > 0 && i >= bertQe.settings.expansionDepth! && !isEmpty) {
              // Phase three did not read it.
              expect(document.chunkScores).toEqual(chunks.map(() => null));
              expect([document.expansionScore, document.combined]).toEqual([null, null]);
              expect(document.final).toBe(reranked[i].score);
              expect(reranked[i].relevance).toBe(document.queryScore);
              continue;
            }
            const expanded = chunks.reduce(
              (sum, { weight }, c) => sum + weight * document.chunkScores[c]!,
              0,
            );
            const combined =
              chunks.length === 0
                ? document.queryScore!
                : (1 - alpha) * document.queryScore! + alpha * expanded;
            const log = Math.log(Math.max(combined, 5e-324));
            const { initial } = document;
            const final = initial === null ? log : beta * log + (1 - beta) * initial;
            const isRead = !expansion || alpha === 0 || i < bertQe.settings.expansionDepth!;
            if (isRead) expect(document.final).toBeCloseTo(final, 6);
            expect(document.final).toBe(reranked[i].score);
            expect(document.combined).toBeCloseTo(combined, 9);
            expect(document.ranks.final).toBe(i + 1);
          }
          const phase1 = documents.map(({ ranks }) => ranks.phase1!);
          expect(new Set(phase1).size).toBe(phase1.length);
          for (const a of documents) {
            for (const b of documents) {
              if (a.queryScore! > b.queryScore!) expect(a.ranks.phase1).toBeLessThan(b.ranks.phase1!);
              if (a.initial! > b.initial!) expect(a.ranks.initial).toBeLessThan(b.ranks.initial);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('finds each chunk at its place in the passage of its document', async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary(), async (testCase) => {
        if (testCase.options.chunkSource === 'document') return;
        const { bertQe } = libraryOf(testCase);
        const { explanation } = await bertQe.rerank(query, testCase.documents, { explain: true });
        for (const { text, document, start } of explanation!.chunks) {
          const words = text.split(' ').length;
          const places = explanation!.documents
            .filter(({ id }) => id === document)
            .map(({ passage }) =>
              passage!
                .split(' ')
                .slice(start, start + words)
                .join(' '),
            );
          expect(places).toContain(text);
        }
      }),
      { numRuns: 200 },
    );
  });
});

const example: Explanation = {
  query: 'why do bridges sway',
  id: '1',
  chunks: [
    { text: 'the deck swayed in the wind', document: 'bridge-1', start: 5, score: 0.9, weight: 0.6 },
    { text: 'a footbridge', document: 'a-document-with-a-long-name', start: 0, score: 0.5, weight: 0.4 },
  ],
  documents: [
    {
      id: 'bridge-1',
      passage: `The deck ${'swayed '.repeat(40)}`,
      queryScore: 0.75,
      chunkScores: [1, 0],
      expansionScore: 0.6,
      combined: 0.69,
      initial: 12.5,
      final: 0.916,
      ranks: { initial: 3, phase1: 2, final: 1 },
    },
    {
      id: 'bridge-2',
      passage: null,
      queryScore: null,
      chunkScores: [null, null],
      expansionScore: null,
      combined: null,
      initial: 14,
      final: 0.8,
      ranks: { initial: 1, phase1: null, final: 2 },
    },
  ],
  cost: {} as Explanation['cost'],
};

describe('an explanation to read', () => {
  test('draws chunk scores as shares of the highest, however low it is', () => {
    const [first, second] = example.documents;
    const faint = { ...example, documents: [{ ...first, chunkScores: [0.04, 0.02] }, second] };
    expect(renderExplanation(faint)).toMatch(/12\.50 +█▅ +↑2/);
  });

  test('shows weights as bars, chunk scores as heights, and where documents came from', () => {
    const lines = renderExplanation(example).split('\n');
    expect(lines[0]).toBe('why do bridges sway');
    expect(lines[2]).toBe('Expanded with 2 chunks of 2 documents:');
    expect(lines[4]).toMatch(/^ {2}1 \.600 ██████ {2}\.900 +bridge-1 +the deck swayed in the wind$/);
    expect(lines[5]).toMatch(/^ {2}2 \.400 ████ {4}\.500 +a-document-wi… a footbridge$/);
    expect(lines[9]).toMatch(/^ {2}1 {2}bridge-1 +0\.916 \.690 +\.750 +\.600 +12\.50 +█▁ +↑2 3→2→1$/);
    expect(lines[10]).toMatch(/^ {5}The deck swayed .*…$/);
    // Scores that a deadline left unknown.
    expect(lines[11]).toMatch(/^ {2}2 {2}bridge-2 +0\.800 {2}--- +--- +--- +14\.00 +·· +↓1 1→\?→2$/);
  });

  test('keeps to the width, and to the number of documents asked for', () => {
    for (const width of [80, 100, 140]) {
      for (const line of renderExplanation(example, { width }).split('\n')) {
        expect([...line].length).toBeLessThanOrEqual(Math.max(width, 100));
      }
    }
    expect(renderExplanation(example, { limit: 1 })).toContain('The first 1 of 2 documents:');
  });

  test('lets no document control the terminal', () => {
    const evil = 'a \u001b]52;c;cm0=\u0007 \u001b[2J\u009b31m b\nc';
    const [document] = example.documents;
    const [chunk] = example.chunks;
    const rendered = (words: string) =>
      renderExplanation({
        ...example,
        query: words,
        chunks: [{ ...chunk, text: words, document: words }],
        documents: [{ ...document, id: words, passage: words }],
      });
    const text = rendered(evil);
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(text.split('\n')).toHaveLength(rendered('words').split('\n').length);
    expect(text).toContain('a \ufffd]52;c;cm0=\ufffd \ufffd[2J\ufffd31m b c');
  });

  test('has colours only where they are wanted', () => {
    expect(renderExplanation(example)).not.toContain('\u001b');
    const coloured = renderExplanation(example, { colour: true });
    expect(coloured).toContain('\u001b[32m↑2\u001b[39m');
    expect(stripVTControlCharacters(coloured)).toBe(renderExplanation(example));
  });
});
