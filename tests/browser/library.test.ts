import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { BertQE, BertScorer, type Explanation, type TextPair } from '../../src/index.js';
import { convertModel, kendallTau, quantizeModel } from '../../src/bert/index.js';
import { readDocuments, readQueries, type Document, type Query } from '../../src/collection/index.js';
import { DivergenceFeedback, KL, MemoryIndex, Searcher } from '../../src/retrieval/index.js';
import { demoPairs } from '../bert/scorer/demo-pairs.js';
import { demo } from '../server/support/server.js';
import { temporaryFolder } from '../support/folders.js';
import { describeInBrowsers, failureOf, inPage } from './library-page.js';

/** Scores of onnxruntime-web differ from those of onnxruntime-node in the last bits. */
const TOLERANCE = 1e-4;

const pairs = demoPairs(60);
let documents: Document[];
let queries: readonly Query[];

async function nodeScores(model: string, some: readonly TextPair[]): Promise<Float32Array> {
  const scorer = await BertScorer.load({ model, precision: 'fp32' });
  const scores = await scorer.score(some);
  await scorer.close();
  return scores;
}

beforeAll(async () => {
  documents = [];
  for await (const { origin: _, ...document } of readDocuments(demo)) documents.push(document);
  queries = await readQueries(join(demo, 'queries.jsonl'));
});

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  return Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
}

describeInBrowsers('bert-qe/browser', (browser) => {
  /** WebKit runs what concerns scores and rankings: its driver gives pages no lasting storage. */
  const beyond = it.skipIf(browser.name === 'webkit');
  const score = `
    const scorer = await BertScorer.load({ ...places, ...args.options });
    const scores = Array.from(await scorer.score(args.pairs));
    const { info } = scorer;
    await scorer.close();
    return { scores, info };
  `;
  type Scored = { scores: number[]; info: Record<string, unknown> };

  it.each(['T', 'S'])('scores as Node does: %s', async (model) => {
    const page = await browser.open();
    const { scores } = await inPage<Scored>(page, score, { pairs, options: { model } });
    expect(largestDifference(scores, await nodeScores(model, pairs))).toBeLessThan(TOLERANCE);
  });

  beyond(
    'scores as Node does with one worker, weights of 16 bits, threads, and batches of other sizes',
    async () => {
      const wanted = await nodeScores('T', pairs);
      browser.server.isolated = true;
      const page = await browser.open();
      const ways = [{ workers: 1 }, { precision: 'fp16' }, { workers: 1, threads: 2 }, { batchTokens: 300 }];
      for (const way of ways) {
        const { scores, info } = await inPage<Scored>(page, score, {
          pairs,
          options: { model: 'T', ...way },
        });
        expect(largestDifference(scores, wanted)).toBeLessThan(TOLERANCE);
        expect(info).toMatchObject({ device: 'wasm', ...('batchTokens' in way ? {} : way) });
      }
    },
  );

  beyond('scores as Node does on WebGPU, or says that there is none', async () => {
    const page = await browser.open();
    const some = pairs.slice(0, 6);
    const options = { model: 'T', device: 'webgpu' };
    const hasAdapter = await page.evaluate<boolean>(
      'Promise.resolve(navigator.gpu?.requestAdapter()).then(Boolean)',
    );
    if (hasAdapter) {
      const { scores, info } = await inPage<Scored>(page, score, { pairs: some, options });
      expect(info).toMatchObject({ device: 'webgpu' });
      expect(largestDifference(scores, await nodeScores('T', some))).toBeLessThan(TOLERANCE);
    } else {
      const failure = await failureOf(page, 'await BertScorer.load({ ...places, ...args });', options);
      expect(failure).toEqual({
        code: 'missing',
        message: expect.stringContaining('This browser offers no WebGPU adapter'),
      });
    }
  });

  beyond('uses one thread where the page is not cross-origin isolated', async () => {
    const page = await browser.open();
    const { info } = await inPage<Scored>(page, score, {
      pairs: pairs.slice(0, 2),
      options: { model: 'T', workers: 1, threads: 2 },
    });
    expect(info).toMatchObject({ workers: 1, threads: 1 });
  });

  it('gives the ranking and the explanation that Node gives', async () => {
    const texts = documents.slice(0, 40).map(({ title, text }) => ({ title: title!, text }));
    const query = queries[0].text;
    const bertQe = await BertQE.load({ models: 'TTT' });
    const wanted = await bertQe.rerank(query, texts, { explain: true });
    await bertQe.close();
    const page = await browser.open();
    const found = await inPage<{ ids: string[]; phases: string[]; explanation: Explanation }>(
      page,
      `
        const bertQe = await BertQE.load({ models: 'TTT', ...places });
        const phases = new Set();
        const { results, explanation } = await bertQe.rerank(args.query, args.texts, {
          explain: true,
          onProgress: ({ phase }) => phases.add(phase),
        });
        await bertQe.close();
        return { ids: results.map(({ id }) => id), phases: [...phases], explanation };
      `,
      { query, texts },
    );
    expect(found.ids).toEqual(wanted.results.map(({ id }) => id));
    expect(found.phases).toEqual(['bestPassage', 'phaseOne', 'phaseTwo', 'phaseThree']);
    const { chunks, documents: explained } = found.explanation;
    expect(chunks.map(({ text, document, start }) => ({ text, document, start }))).toEqual(
      wanted.explanation!.chunks.map(({ text, document, start }) => ({ text, document, start })),
    );
    wanted.explanation!.documents.forEach((document, i) => {
      expect(explained[i]).toMatchObject({
        id: document.id,
        passage: document.passage,
        ranks: document.ranks,
      });
      expect(explained[i].queryScore).toBeCloseTo(document.queryScore!, 4);
      expect(explained[i].expansionScore).toBeCloseTo(document.expansionScore!, 4);
    });
  });

  it('searches an array of documents and a file of an index, to the last bit as in Node', async () => {
    const index = await MemoryIndex.build(documents);
    const feedback = new DivergenceFeedback(KL);
    const wanted = await Promise.all(queries.map((query) => new Searcher(index, { feedback }).search(query)));
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'demo.index'), await index.toFile());
    browser.server.add('/indexes/', `${folder}/`);
    const page = await browser.open();
    const found = await inPage<unknown[][]>(
      page,
      `
        const search = (index) => {
          const searcher = new Searcher(index, { feedback: new DivergenceFeedback(KL) });
          return Promise.all(args.queries.map((query) => searcher.search(query)));
        };
        const file = await (await fetch('/indexes/demo.index')).arrayBuffer();
        return [await search(await MemoryIndex.build(args.documents)), await search(await MemoryIndex.fromFile(file))];
      `,
      { documents, queries },
    );
    expect(found).toEqual([wanted, wanted]);
  });

  beyond('loads a model again without asking the server for it', async () => {
    const page = await browser.open();
    const options = { model: 'T' };
    const first = await inPage<Scored>(page, score, { pairs: pairs.slice(0, 3), options });
    expect(browser.server.asked).toContain('/models/tiny/model.safetensors');
    browser.server.asked.length = 0;
    await page.reload();
    const second = await inPage<Scored>(page, score, { pairs: pairs.slice(0, 3), options });
    expect(second.scores).toEqual(first.scores);
    expect(browser.server.asked.filter((path) => path.startsWith('/models/'))).toEqual([]);
    await inPage(page, score, { pairs: [], options: { ...options, cache: 'reload' } });
    expect(browser.server.asked).toContain('/models/tiny/model.safetensors');
  });

  beyond('tells of downloads and of pairs, and stops when it is told to', async () => {
    const page = await browser.open();
    const seen = await inPage<Record<string, unknown>>(
      page,
      `
        const downloads = [];
        const scorer = await BertScorer.load({ model: 'T', ...places, onDownload: (one) => downloads.push(one) });
        const done = [];
        let cost;
        const many = Array.from({ length: 20 }, (_, i) => args.pairs.map(({ a, b }) => ({ a, b: b + ' ' + i }))).flat();
        await scorer.score(many, { onProgress: (count) => done.push(count), onCost: (one) => (cost = one) });
        const abort = new AbortController();
        const scoring = scorer.score(many, { signal: abort.signal, onProgress: () => abort.abort() });
        const aborted = await scoring.catch(({ code }) => code);
        const after = (await scorer.score(args.pairs.slice(0, 2))).length;
        const last = scorer.score(many);
        await scorer.close();
        const finished = (await last).length;
        const closed = await scorer.score(args.pairs).catch(({ message }) => message);
        const load = new AbortController();
        const loading = BertScorer.load({ model: 'S', ...places, signal: load.signal, onDownload: () => load.abort() });
        const given = await loading.catch(({ code }) => code);
        return {
          last: downloads.at(-1), done: done.at(-1), total: many.length, cost, aborted, after, finished, closed, given,
        };
      `,
      { pairs },
    );
    expect(seen).toMatchObject({
      last: { file: 'model.safetensors', loaded: 5157548, total: 5157548 },
      done: 1200,
      total: 1200,
      aborted: 'aborted',
      after: 2,
      finished: 1200,
      closed: 'The scorer is closed; load it again.',
      given: 'aborted',
    });
    expect(seen.cost).toMatchObject({ tokens: expect.any(Number), flops: expect.any(Number) });
  });

  beyond('works from another origin, such as a CDN', async () => {
    const page = await browser.open();
    const other = browser.server.url.replace('localhost', '127.0.0.1');
    const scores = await page.evaluate<number[]>(`(async () => {
      const { BertScorer } = await import('${other}/browser/index.js');
      const scorer = await BertScorer.load({
        model: 'T', modelBase: '${other}/models/', runtime: '${other}/ort/',
      });
      return Array.from(await scorer.score(${JSON.stringify(pairs.slice(0, 4))}));
    })()`);
    expect(largestDifference(scores, await nodeScores('T', pairs.slice(0, 4)))).toBeLessThan(TOLERANCE);
  });

  beyond('goes on while its tab is hidden', async () => {
    const page = await browser.open(true);
    const many = Array.from({ length: 20 }, (_, i) =>
      pairs.map(({ a, b }) => ({ a, b: `${b} ${i}` })),
    ).flat();
    const running = inPage<Scored>(
      page,
      score.replace('args.pairs', 'args.pairs, { onProgress: () => (window.isScoring = true) }'),
      { pairs: many, options: { model: 'T' } },
    );
    await expect.poll(() => page.evaluate('window.isScoring'), { timeout: 30_000 }).toBe(true);
    await page.hide();
    await expect.poll(() => page.evaluate('document.visibilityState')).toBe('hidden');
    expect((await running).scores).toHaveLength(many.length);
  });

  describe('with a smaller form of a model', () => {
    const folder = temporaryFolder();
    const some = demoPairs(400);
    beforeAll(async () => {
      const tiny = join(import.meta.dirname, '../../models/tiny');
      await quantizeModel(tiny, join(folder, 'int8'));
      await convertModel(tiny, join(folder, 'web'), { format: 'web' });
      browser.server.add('/forms/', `${folder}/`);
    });

    it('ranks nearly as fp32 with int8', async () => {
      const page = await browser.open();
      const options = { model: '/forms/int8/', weights: 'onnx/model_int8.onnx' };
      const { scores } = await inPage<Scored>(page, score, { pairs: some, options });
      expect(kendallTau(scores, Array.from(await nodeScores('T', some)))).toBeGreaterThan(0.97);
    });

    it('ranks nearly as fp32 with the form for pages, and as Node does with it', async () => {
      const page = await browser.open();
      const options = { model: '/forms/web/', weights: 'model.safetensors.gz' };
      const { scores } = await inPage<Scored>(page, score, { pairs: some, options });
      expect(largestDifference(scores, await nodeScores(join(folder, 'web'), some))).toBeLessThan(TOLERANCE);
      expect(kendallTau(scores, Array.from(await nodeScores('T', some)))).toBeGreaterThan(0.995);
    });
  });

  describe.skipIf(browser.name === 'webkit')('when something is not as it should be', () => {
    const load = `await (await BertScorer.load({ model: 'T', ...places, ...args })).close();`;

    /** Runs code in each worker before the worker's own. */
    const inWorkers = (code: string): void => {
      browser.server.fault = (request, response) => {
        if (request.url !== '/browser/worker.js') return false;
        response.setHeader('Content-Type', 'text/javascript');
        const first = `data:text/javascript,${encodeURIComponent(code)}`;
        response.end(`import ${JSON.stringify(first)};\nimport '/browser/worker.js?whole';`);
        return true;
      };
    };

    it('says that there is no such model', async () => {
      const page = await browser.open();
      expect(await failureOf(page, load, { modelBase: '/nowhere/' })).toEqual({
        code: 'missing',
        message: expect.stringContaining(
          `${browser.server.url}/nowhere/tiny/config.json: there is no such file (404)`,
        ),
      });
    });

    it('says that the server cannot be reached', async () => {
      const page = await browser.open();
      expect(await failureOf(page, load, { modelBase: 'http://localhost:9/' })).toEqual({
        code: 'failure',
        message: expect.stringMatching(/cannot be fetched .* Check the connection.*CORS/),
      });
    });

    it('refuses a model that is damaged on its way, and takes it at the next try', async () => {
      const page = await browser.open();
      browser.server.fault = (request, response) => {
        if (!request.url!.endsWith('model.safetensors')) return false;
        response.end('not these weights');
        return true;
      };
      expect(await failureOf(page, load)).toEqual({
        code: 'corrupt',
        message: expect.stringContaining('/models/tiny/model.safetensors'),
      });
      browser.server.fault = undefined;
      expect(await failureOf(page, load)).toEqual({ code: 'none' });
    });

    it('refuses a model with another hash than the one that was given', async () => {
      const page = await browser.open();
      const integrity = { 'config.json': '', 'tokenizer.json': '', 'model.safetensors': 'sha256-AAAA' };
      expect(await failureOf(page, load, { integrity })).toEqual({
        code: 'corrupt',
        message: expect.stringMatching(/model\.safetensors: .* its SHA-256 is sha256-.*, sha256-AAAA was/),
      });
    });

    it('says that the runtime is not where it should be', async () => {
      const page = await browser.open();
      expect(await failureOf(page, load, { runtime: '/no-runtime/' })).toEqual({
        code: 'missing',
        message: expect.stringContaining('serve the folder node_modules/onnxruntime-web/dist there'),
      });
    });

    it('says that the browser has no SIMD', async () => {
      inWorkers('WebAssembly.validate = () => false');
      const page = await browser.open();
      expect(await failureOf(page, load)).toEqual({
        code: 'missing',
        message: expect.stringContaining('This browser has no WebAssembly with SIMD'),
      });
    });

    it.runIf(browser.name === 'chromium')('scores where the storage is full, and says so', async () => {
      const page = await browser.open();
      await page.limitStorage!(1_000_000);
      const some = pairs.slice(0, 3);
      const { scores, info } = await inPage<Scored>(page, score, { pairs: some, options: { model: 'T' } });
      expect(largestDifference(scores, await nodeScores('T', some))).toBeLessThan(TOLERANCE);
      expect(info).toMatchObject({ notKept: expect.stringContaining("the browser's storage is full") });
    });

    it('scores where the storage is denied, and says so', async () => {
      inWorkers(
        `CacheStorage.prototype.open = async () => { throw new DOMException('Denied.', 'SecurityError'); };`,
      );
      const page = await browser.open();
      const some = pairs.slice(0, 3);
      const { scores, info } = await inPage<Scored>(page, score, { pairs: some, options: { model: 'T' } });
      expect(largestDifference(scores, await nodeScores('T', some))).toBeLessThan(TOLERANCE);
      expect(info).toMatchObject({
        notKept: expect.stringMatching(/denies this page storage \(.*Denied.*\): allow it/),
      });
    });

    it('says that workers are not allowed', async () => {
      browser.server.fault = (request, response) => {
        if (request.url === '/') response.setHeader('Content-Security-Policy', "worker-src 'none'");
        return false;
      };
      const page = await browser.open();
      expect(await failureOf(page, load)).toMatchObject({ message: expect.stringMatching(/worker/i) });
    });

    /** A page that keeps its workers in `window.workers`, the scorer's first and then those of its sessions. */
    const openWithWorkers = async () => {
      const page = await browser.open();
      await page.evaluate(`{
        window.workers = [];
        const Real = Worker;
        window.Worker = class extends Real {
          constructor(...args) { super(...args); window.workers.push(this); }
        };
      }`);
      return page;
    };

    it('says that the browser stopped a worker; a scorer that is loaded again goes on', async () => {
      const page = await openWithWorkers();
      const failure = await failureOf(
        page,
        `
          const scorer = await BertScorer.load({ model: 'T', ...places });
          const many = Array.from({ length: 40 }, (_, i) => args.map(({ a, b }) => ({ a, b: b + i }))).flat();
          await scorer.score(many, { onProgress: () => window.workers[0].terminate() });
        `,
        pairs,
      );
      expect(failure).toEqual({
        code: 'failure',
        message: expect.stringMatching(/the browser stopped a worker.* Load the model again/),
      });
      expect(await failureOf(page, load)).toEqual({ code: 'none' });
    });

    it('closes a scorer whose worker the browser has just stopped', async () => {
      const page = await openWithWorkers();
      await inPage(
        page,
        `
          const scorer = await BertScorer.load({ model: 'T', ...places });
          window.workers[0].terminate();
          await scorer.close();
        `,
      );
    });

    it('scores where workers cannot make workers', async () => {
      inWorkers('globalThis.Worker = undefined');
      const page = await browser.open();
      const some = pairs.slice(0, 3);
      const { scores } = await inPage<Scored>(page, score, { pairs: some, options: { model: 'T' } });
      expect(largestDifference(scores, await nodeScores('T', some))).toBeLessThan(TOLERANCE);
    });

    it('ends the calls of sessions that the browser stops, and opens another session for the next call', async () => {
      const page = await openWithWorkers();
      const found = await inPage<{ failure: object; scores: number[] }>(
        page,
        `
          const scorer = await BertScorer.load({ model: 'T', ...places });
          const many = Array.from({ length: 40 }, (_, i) => args.map(({ a, b }) => ({ a, b: b + i }))).flat();
          const stop = () => window.workers.slice(1).forEach((worker) => worker.terminate());
          const failure = await scorer.score(many, { onProgress: stop }).catch(({ code, message }) => ({ code, message }));
          // The end of each session is heard of a moment later.
          await new Promise((resolve) => setTimeout(resolve, 500));
          const scores = Array.from(await scorer.score(args));
          await scorer.close();
          return { failure, scores };
        `,
        pairs,
      );
      expect(found.failure).toEqual({
        code: 'failure',
        message: expect.stringMatching(/the browser stopped a worker/),
      });
      expect(largestDifference(found.scores, await nodeScores('T', pairs))).toBeLessThan(TOLERANCE);
    });

    it('names the nearest option, and refuses lengths that the model does not have', async () => {
      const page = await browser.open();
      expect(await failureOf(page, load, { modelbase: '/' })).toMatchObject({
        code: 'usage',
        message: expect.stringContaining('did you mean modelBase?'),
      });
      expect(await failureOf(page, load, { maxLength: 9999 })).toMatchObject({
        code: 'usage',
        message: expect.stringContaining('positions for 512 tokens'),
      });
    });
  });
});
