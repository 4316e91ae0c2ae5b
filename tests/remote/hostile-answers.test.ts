import { describe, expect, it } from 'vitest';
import { BertQeError } from '../../src/common/errors.js';
import { cohereScorer, teiScorer } from '../../src/remote/index.js';
import { loopback } from './support/loopback.js';

const once = { retry: { firstPauseMs: 1, longestPauseMs: 1, attempts: 1 } };
const pairs = [{ a: 'query', b: 'text' }];

const wrong: readonly [string, unknown][] = [
  ['null', null],
  ['a list of null', [null]],
  ['a text', 'a'],
  ['a number', 7],
  ['a score that is a text', [{ index: 0, score: '0.5' }]],
  ['a score that is null', [{ index: 0, score: null }]],
  ['an index that is a text', [{ index: '0', score: 0.5 }]],
  ['a list of lists', [[0, 0.5]]],
  ['too many scores', Array.from({ length: 50_000 }, (_, index) => ({ index, score: 0.5 }))],
];

describe('a server that answers something else', () => {
  it.each(wrong)('%s: named in one line', async (_, json) => {
    const { url } = await loopback(({ path }) => (path === '/info' ? { json: null } : { json }));
    const scorer = await teiScorer({ url, ...once });
    await expect(scorer.score(pairs)).rejects.toThrow(BertQeError);
    const cohere = cohereScorer({ url, ...once });
    await expect(cohere.score(pairs)).rejects.toThrow(BertQeError);
  });

  it('an endless answer: given up at a number of bytes', async () => {
    const { url } = await loopback(() => 'endless');
    await expect(cohereScorer({ url, ...once }).score(pairs)).rejects.toThrow(/longer than \d+ bytes/);
  });
});
