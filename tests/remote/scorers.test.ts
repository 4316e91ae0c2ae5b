import { describe, expect, it } from 'vitest';
import type { TextPair } from '../../src/bert/index.js';
import { cohereScorer, openRemoteScorer, teiScorer } from '../../src/remote/index.js';
import { scorerContract } from '../contracts/scorer.js';
import { loopback, type Answer, type Asked } from './support/loopback.js';

const quick = { retry: { firstPauseMs: 1, longestPauseMs: 5, attempts: 6 } };

/** A made-up model: the share of the first text's letters that the second has, and a little of its order. */
function relevance(a: string, b: string): number {
  const letters = new Set(b.toLowerCase());
  const found = [...a.toLowerCase()].filter((letter) => letters.has(letter)).length;
  return found / (a.length + 1) / 2 + 1 / (3 + b.length);
}

interface TeiBody {
  readonly query: string;
  readonly texts: readonly string[];
}

/** Sorted best first, as TEI does: a client that ignores `index` fails. */
function teiAnswer({ query, texts }: TeiBody): Answer {
  const json = texts
    .map((text, index) => ({ index, score: relevance(query, text) }))
    .sort((x, y) => y.score - x.score);
  return { json };
}

function tei(answer: (asked: Asked, count: number) => Answer | Promise<Answer>, limits: object = {}) {
  let counted = 0;
  return loopback((asked) =>
    asked.path === '/info'
      ? { json: { model_id: 'made-up', model_sha: 'abc', max_client_batch_size: 4, ...limits } }
      : answer(asked, ++counted),
  );
}

const pairs: TextPair[] = Array.from({ length: 23 }, (_, i) => ({
  a: `query ${i % 3}`,
  b: `text number ${i} ${'x'.repeat(i)}`,
}));
const expected = Float32Array.from(pairs, ({ a, b }) => relevance(a, b));

const honest = await tei(({ body }) => teiAnswer(body as TeiBody));
scorerContract('A TEI server', () => teiScorer({ url: honest.url }));

const cohereLike = await loopback(({ body }) => {
  const { query, documents } = body as { query: string; documents: readonly string[] };
  const results = documents.map((text, index) => ({ index, relevance_score: relevance(query, text) }));
  return { json: { results: results.toReversed() } };
});
scorerContract('A Cohere-like server', async () =>
  cohereScorer({ url: `${cohereLike.url}/v2/rerank`, batch: 5 }),
);

describe('a remote scorer', () => {
  it('keeps to the batch size that the server names, and to the number of requests at a time', async () => {
    const server = await tei(async ({ body }) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return teiAnswer(body as TeiBody);
    });
    const scorer = await teiScorer({ url: server.url, concurrency: 3 });
    expect(await scorer.score(pairs)).toEqual(expected);
    const sizes = server.asked
      .filter(({ path }) => path === '/rerank')
      .map(({ body }) => (body as TeiBody).texts.length);
    expect(Math.max(...sizes)).toBe(4);
    expect(server.mostRunning).toBeLessThanOrEqual(3);
  });

  it.each<[string, Answer]>([
    ['too many requests', { status: 429, headers: { 'retry-after': '0' }, json: { error: 'overloaded' } }],
    ['a server that is not ready', { status: 503, text: 'loading' }],
    ['a dropped connection', 'drop'],
    ['an answer that is not JSON', { text: '<html>gateway</html>' }],
  ])('asks again after %s, and scores every pair once', async (_, failure) => {
    const known = new Set<string>();
    const server = await tei(({ body, text }) => {
      if (known.has(text)) return teiAnswer(body as TeiBody);
      known.add(text);
      return failure;
    });
    const scorer = await teiScorer({ url: server.url, concurrency: 2, ...quick });
    const seen: number[] = [];
    expect(await scorer.score(pairs, { onProgress: (done) => seen.push(done) })).toEqual(expected);
    expect(seen.at(-1)).toBe(pairs.length);
  });

  it('gives up with one line after enough tries', async () => {
    const server = await tei(() => ({ status: 503, text: 'out of order' }));
    const scorer = await teiScorer({
      url: server.url,
      retry: { attempts: 3, firstPauseMs: 1, longestPauseMs: 2 },
    });
    await expect(scorer.score(pairs.slice(0, 2))).rejects.toMatchObject({
      code: 'failure',
      message: expect.stringMatching(/rerank: 503 out of order \(3 times\)/),
    });
  });

  it('does not ask again when the server refuses the request', async () => {
    const server = await tei(() => ({ status: 422, json: { error: 'no' } }));
    const scorer = await teiScorer({ url: server.url, ...quick });
    await expect(scorer.score(pairs.slice(0, 1))).rejects.toMatchObject({ code: 'failure' });
    expect(server.asked.filter(({ path }) => path === '/rerank')).toHaveLength(1);
  });

  it('halves requests that are too large for the server', async () => {
    const server = await tei(
      ({ body }) =>
        (body as TeiBody).texts.length > 2 ? { status: 413, text: 'too many' } : teiAnswer(body as TeiBody),
      { max_client_batch_size: 16 },
    );
    const scorer = await teiScorer({ url: server.url, ...quick });
    expect(await scorer.score(pairs)).toEqual(expected);
  });

  it('takes a request that is not answered in time as failed', async () => {
    const server = await tei(({ body }, count) => (count === 1 ? 'never' : teiAnswer(body as TeiBody)));
    const scorer = await teiScorer({ url: server.url, timeoutMs: 400, ...quick });
    expect(await scorer.score(pairs)).toEqual(expected);
  });

  it('ends at its deadline, retries included', async () => {
    const server = await tei(() => 'never');
    const scorer = await teiScorer({ url: server.url, deadlineMs: 60 });
    await expect(scorer.score(pairs)).rejects.toMatchObject({
      code: 'failure',
      message: expect.stringContaining('not done within 60 ms'),
    });
  });

  it('leaves a server alone that keeps failing, and comes back to it', async () => {
    let isUp = false;
    const server = await tei(async ({ body }) => {
      if (!isUp) return 'drop';
      // Longer than all the pauses of a call together: what waits meanwhile must not give up.
      await new Promise((resolve) => setTimeout(resolve, 60));
      return teiAnswer(body as TeiBody);
    });
    const scorer = await teiScorer({
      url: server.url,
      circuit: { failures: 2, pauseMs: 20 },
      retry: { attempts: 4, firstPauseMs: 1, longestPauseMs: 1 },
    });
    await expect(scorer.score(pairs.slice(0, 1))).rejects.toMatchObject({ code: 'failure' });
    const asked = server.asked.length;
    // Two tries and then, after the pause, one probe at a time: fewer requests than tries.
    expect(asked - 1).toBeLessThanOrEqual(4);
    isUp = true;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await scorer.score(pairs)).toEqual(expected);
  });

  it.each<[string, unknown, RegExp]>([
    ['too few scores', [{ index: 0, score: 0.5 }], /1 scores for 2 texts/],
    [
      'a text twice',
      [
        { index: 1, score: 0.5 },
        { index: 1, score: 0.4 },
      ],
      /a score for text 1 of 2/,
    ],
    [
      'a text that was not sent',
      [
        { index: 0, score: 0.5 },
        { index: 2, score: 0.4 },
      ],
      /a score for text 2 of 2/,
    ],
    [
      'no number',
      [
        { index: 0, score: 0.5 },
        { index: 1, score: null },
      ],
      /the score null/,
    ],
    [
      'logits',
      [
        { index: 0, score: 0.5 },
        { index: 1, score: -7.5 },
      ],
      /not logits/,
    ],
    ['another shape', { results: [] }, /answers \/rerank with an array/],
  ])('refuses an answer with %s', async (_, json, message) => {
    const server = await tei(() => ({ json }));
    const scorer = await teiScorer({ url: server.url, ...quick });
    const two = [pairs[0], pairs[3]];
    await expect(scorer.score(two)).rejects.toMatchObject({ message: expect.stringMatching(message) });
  });

  it('is opened by its address, and says what is wrong with one', async () => {
    const scorer = await openRemoteScorer(`tei+${honest.url}?batch=2&timeout=9`);
    expect(await scorer.score(pairs)).toEqual(expected);
    expect(scorer.model.identity).toContain('made-up@abc');
    for (const address of [
      'magic+http://x',
      `tei+${honest.url}?model=x`,
      `tei+${honest.url}?batch=0`,
      `oip+${honest.url}`,
    ]) {
      await expect(openRemoteScorer(address)).rejects.toMatchObject({ code: 'usage' });
    }
  });
});
