import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readQrels, type Qrels } from '../../src/collection/index.js';
import { expectRefusal, scratchFolder } from './support.js';

const scratch = scratchFolder();

function plain(qrels: Qrels): Record<string, Record<string, number>> {
  return Object.fromEntries([...qrels].map(([query, judged]) => [query, Object.fromEntries(judged)]));
}

describe('relevance judgements', () => {
  it('are read from TREC files: any white space, comments, negative levels', async () => {
    const path = scratch(
      'qrels.txt.gz',
      gzipSync('# by hand\n301 0 FBIS3-1 1\r\n301\t0\tFT-2\t-2\n\n  302  Q0  é#1  0  \n'),
    );
    expect(plain(await readQrels(path))).toEqual({ 301: { 'FBIS3-1': 1, 'FT-2': -2 }, 302: { 'é#1': 0 } });
  });

  it('are read from BEIR files, by header, and from BEIR folders, by split', async () => {
    scratch('beir/qrels/test.tsv', 'query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t2\n');
    scratch('beir/qrels/train.tsv', 'query-id\tcorpus-id\tscore\nq9\td1\t1\n');
    const expected = { q1: { d1: 1, d2: 2 } };
    expect(plain(await readQrels(scratch('beir/qrels/test.tsv')))).toEqual(expected);
    expect(plain(await readQrels(scratch('beir')))).toEqual(expected);
    expect(plain(await readQrels(scratch('beir/qrels')))).toEqual(expected);
    expect(plain(await readQrels(scratch('beir'), { split: 'train' }))).toEqual({ q9: { d1: 1 } });
    await expectRefusal(
      readQrels(scratch('beir'), { split: 'dev' }),
      ['split "dev"', 'it holds qrels'],
      'missing',
    );
    scratch('flat/qrels.txt', '1 0 a 1\n');
    scratch('flat/qrels.train.txt', '2 0 b 1\n');
    expect(plain(await readQrels(scratch('flat')))).toEqual({ 1: { a: 1 } });
    expect(plain(await readQrels(scratch('flat'), { split: 'train' }))).toEqual({ 2: { b: 1 } });
  });

  it.each([
    ['1 0 a 1\n1 0 b\n', ['bad:2: 4 columns were expected, not 3', 'query 0 document level']],
    ['1 a 1\n', ['bad:1: 4 columns were expected, not 3', 'header']],
    ['1 0 a 1 x\n', ['bad:1: 4 columns were expected, not 5']],
    [
      'query-id corpus-id score\n1 0 a 1\n',
      ['bad:2: 3 columns were expected, not 4', 'as the header line says'],
    ],
    ['1 0 a high\n', ['bad:1: the relevance level "high" is not a whole number', '0, 1 or 2']],
    ['1 0 a 0.5\n', ['bad:1: the relevance level "0.5"']],
    ['1 0 a 1\n2 0 a 1\n1 0 a 0\n', ['bad:3: document "a" is judged twice for query "1"', 'Remove one']],
  ])('are refused with file, line and fix: %j', async (text, parts) => {
    await expectRefusal(readQrels(scratch('bad', text)), parts);
  });
});
