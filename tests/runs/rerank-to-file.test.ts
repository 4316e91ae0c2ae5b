import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import { writeRun, type Document, type DocumentStore, type Ranking } from '../../src/collection/index.js';
import { BertQE, type Explanation } from '../../src/expansion/index.js';
import {
  localReranker,
  rerankToFile,
  retrievedRankings,
  runRankings,
  type RerankToFileOptions,
  type RunProgress,
} from '../../src/runs/index.js';
import { FakeScorer, hashToUnit } from '../expansion/fake-scorer.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();

const store: DocumentStore = {
  get: async (ids) => new Map(ids.map((id): [string, Document] => [id, { id, text: `text of ${id}` }])),
};
const queries = Array.from({ length: 5 }, (_, i) => ({ id: `q${i}`, text: `query ${i}` }));
const run = new Map(
  queries.map(({ id }, i) => [id, Array.from({ length: 6 }, (_, d) => ({ id: `d${i}-${d}`, score: 6 - d }))]),
);

let scorer: FakeScorer;
let file = 0;
beforeEach(() => {
  scorer = new FakeScorer((a, b) => hashToUnit(a + b));
  file++;
});
const path = (name: string): string => join(folder, `${file}.${name}`);

/** Re-ranks with settings and options of one's own. */
async function rerank(options: Partial<RerankToFileOptions> = {}, settings: { alpha?: number } = {}) {
  return rerankToFile({
    rankings: await runRankings(run, queries),
    reranker: localReranker(new BertQE({ phaseOne: scorer }, { kc: 2, kd: 2, ...settings }), store),
    out: path('run'),
    explanations: path('jsonl'),
    tag: 'mine',
    ...options,
  });
}

/** The explanations of a file without the times, which are never the same. */
function explanations(name: string): Explanation[] {
  const lines = readFileSync(path(name), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line.replace(/"seconds":[\d.e-]+/g, '"seconds":0')) as Explanation);
}

/** The error about a journal of other inputs. */
const differ = (what: string) => ({
  code: 'usage',
  message: expect.stringContaining(`(${what} differ)`) as string,
});

/** Stops the run when so many queries are finished. */
async function interrupted(after: number, options: Partial<RerankToFileOptions> = {}): Promise<void> {
  const stop = new AbortController();
  let seen = 0;
  const onReranked = (): void => {
    if (++seen > after) stop.abort();
  };
  const onProgress = ({ phase }: RunProgress): void => {
    if (seen === after && phase !== undefined) stop.abort();
  };
  const running = rerank({ ...options, signal: stop.signal, onReranked, onProgress });
  await expect(running).rejects.toMatchObject({ code: 'aborted' });
}

describe('two runs into one file', () => {
  test('the second is refused, and the first ends as if alone', async () => {
    await rerank({ out: path('alone') });
    let refusal: Promise<unknown> | undefined;
    const onReranked = (): void => {
      refusal ??= rerank().catch((error: unknown) => error);
    };
    await rerank({ onReranked });
    expect(await refusal).toMatchObject({
      code: 'locked',
      exitCode: 2,
      message: `${path('run')} is being written by process ${process.pid}; wait for it, or write elsewhere.`,
    });
    expect(readFileSync(path('run'), 'utf8')).toBe(readFileSync(path('alone'), 'utf8'));
    expect(existsSync(`${path('run')}.lock`)).toBe(false);
  });

  test('also where only the explanations are the same, or one is a link to the other', async () => {
    writeFileSync(path('run'), '');
    symlinkSync(path('run'), path('link'));
    const refusals: Promise<unknown>[] = [];
    const onReranked = (): void => {
      if (refusals.length > 0) return;
      for (const out of ['other', 'link']) {
        refusals.push(rerank({ out: path(out) }).catch((error: { code: string }) => error.code));
      }
    };
    await rerank({ onReranked });
    expect(await Promise.all(refusals)).toEqual(['locked', 'locked']);
  });

  test('the lock of a process that died is taken over', async () => {
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(`${path('run')}.lock`, JSON.stringify({ pid: dead, started: '1', host: hostname() }));
    await rerank();
    expect(existsSync(`${path('run')}.lock`)).toBe(false);
  });
});

test.each([
  ['the same file', 'run', 'run'],
  ['a link to it', 'run', 'link'],
  ['the journal', 'run', 'run.journal'],
])('the run and the explanations are refused where they are %s', async (_, out, explanations) => {
  writeFileSync(path('run'), 'old');
  symlinkSync(path('run'), path('link'));
  const running = rerank({ out: path(out), explanations: path(explanations) });
  await expect(running).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('cannot hold both the run and the explanations'),
  });
  expect(readFileSync(path('run'), 'utf8')).toBe('old');
});

describe('initial rankings', () => {
  test('are refused before a model runs where a query or a document is not known', async () => {
    await expect(runRankings(run, queries.slice(1))).rejects.toMatchObject({
      code: 'missing',
      message: /^The run: query "q0" is not in the queries/,
    });
    const collection = {
      name: 'the index',
      firstMissing: async (ids: readonly string[]) => ids.find((id) => id === 'd3-5'),
    };
    await expect(runRankings(run, queries, { collection })).rejects.toMatchObject({
      code: 'missing',
      message: /document "d3-5" of query "q3" is not in the index/,
    });
    // Documents below the depth are not re-ranked and need not be there.
    expect(await runRankings(run, queries, { collection, depth: 5 })).toMatchObject({ total: 5 });
    await expect(runRankings(new Map(), queries)).rejects.toMatchObject({ code: 'input' });
  });

  test('are the same from a file, and can be read again', async () => {
    await writeRun(path('initial'), run);
    const [inMemory, inFile] = [await runRankings(run, queries), await runRankings(path('initial'), queries)];
    expect(inFile.inputs).toEqual(inMemory.inputs);
    for (let times = 0; times < 2; times++) {
      const read: [string, Ranking][] = [];
      for await (const { query, ranking } of inFile.rankings()) read.push([query, ranking]);
      expect(read).toEqual([...run]);
    }
  });
});

describe('a run that is re-ranked into files', () => {
  test('has a line per document and an explanation per query, and leaves no journal', async () => {
    const totals = await rerank();
    const lines = readFileSync(path('run'), 'utf8').trim().split('\n');
    expect(lines.length).toBe(30);
    expect(lines[0]).toMatch(/^q0 Q0 d0-\d 1 \S+ mine$/);
    expect(explanations('jsonl').map(({ id }) => id)).toEqual(queries.map(({ id }) => id));
    expect(existsSync(`${path('run')}.journal`)).toBe(false);
    expect(totals).toMatchObject({ queries: 5, resumed: 0, empty: 0, flops: 0 });
    expect(totals.pairs).toBeGreaterThan(0);
  });

  test('continues after it was stopped, asks no model twice, and ends with the same files', async () => {
    await rerank({ out: path('whole'), explanations: path('whole.jsonl') });
    const wholeAsked = scorer.asked.length;
    scorer.asked.length = 0;
    await interrupted(2);
    const before = scorer.asked.length;
    const resumed: [number, string][] = [];
    const totals = await rerank({ onResume: (...what) => resumed.push(what) });
    expect(resumed).toEqual([[2, `${path('run')}.journal`]]);
    expect(totals).toMatchObject({ queries: 3, resumed: 2 });
    expect(scorer.asked.length - before).toBe((3 / 5) * wholeAsked);
    expect(readFileSync(path('run'))).toEqual(readFileSync(path('whole')));
    expect(explanations('jsonl')).toEqual(explanations('whole.jsonl'));
  });

  test('continues after the models failed', async () => {
    const score = scorer.score.bind(scorer);
    scorer.score = async (pairs, options) => {
      if (pairs.some(({ a }) => a === 'query 3')) throw new Error('no memory');
      return score(pairs, options);
    };
    await expect(rerank()).rejects.toThrow('no memory');
    scorer.score = score;
    expect(await rerank()).toMatchObject({ queries: 2, resumed: 3 });
  });

  test('refuses the journal of other inputs, and names them', async () => {
    await interrupted(1);
    await expect(rerank({}, { alpha: 0.7 })).rejects.toMatchObject(differ('alpha'));
    await expect(rerank({ tag: 'yours' })).rejects.toMatchObject(differ('tag'));
    const others = new Map([...run].slice(1));
    await expect(rerank({ rankings: await runRankings(others, queries) })).rejects.toMatchObject(
      differ('run'),
    );
    const retrieved = retrievedRankings({ search: async () => [] }, queries, { inputs: { index: 'x' } });
    await expect(rerank({ rankings: retrieved })).rejects.toMatchObject(differ('run, index'));
    expect(await rerank()).toMatchObject({ resumed: 1 });
  });

  test('tells how far it is', async () => {
    const seen: RunProgress[] = [];
    await interrupted(2);
    await rerank({ onProgress: (progress) => seen.push(progress) });
    const finished = seen.filter(({ phase }) => phase === undefined);
    expect(finished).toEqual([
      { finished: 3, share: 1 / 3 },
      { finished: 4, share: 2 / 3 },
      { finished: 5, share: 1 },
    ]);
    expect(seen.some(({ phase }) => phase === 'phaseThree')).toBe(true);
  });

  test('goes to standard output query by query, without a journal', async () => {
    const stdout = new PassThrough();
    const written = text(stdout);
    await rerank({ out: '-', explanations: '/dev/null', stdout });
    stdout.end();
    await rerank();
    expect(await written).toBe(readFileSync(path('run'), 'utf8'));
    await expect(rerank({ out: '-', explanations: '-' })).rejects.toMatchObject({ code: 'usage' });
  });
});
