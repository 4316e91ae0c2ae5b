import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { escapeText } from '../../src/common/plot/svg.js';
import { evaluate } from '../../src/evaluation/index.js';
import { DEFAULTS, BertQE, combine, interpolate, wordsOf } from '../../src/expansion/index.js';
import { searchAnswer, searchEvents } from '../../src/server/schemas/index.js';
import { temporaryFolder } from '../support/folders.js';
import { demoCollection, get, metric, post, startServer, until } from './support/server.js';

let url: string;
let loaded: Awaited<ReturnType<typeof demoCollection>>;
const experiments = temporaryFolder();
const page = temporaryFolder();
/** A title with signs that HTML reserves. */
const title = 'A <small> study of "why" & "how"';

beforeAll(async () => {
  mkdirSync(join(experiments, 'study', 'tables'), { recursive: true });
  mkdirSync(join(experiments, 'unfinished', 'work'), { recursive: true });
  writeFileSync(join(experiments, 'study', 'report.html'), `<title>${escapeText(title)}</title>`);
  writeFileSync(join(experiments, 'study', 'manifest.json'), '{}');
  writeFileSync(join(experiments, 'study', 'tables', 'variants.csv'), 'a,b\n');
  mkdirSync(join(page, 'assets'));
  writeFileSync(join(page, 'index.html'), '<h1>the page</h1>');
  writeFileSync(join(page, 'assets', 'app-1234.js'), 'export {};');
  writeFileSync(join(page, '.secret'), 'no');
  loaded = await demoCollection();
  ({ url } = await startServer({ ...loaded, experiments, page, depth: 12 }));
});

describe('POST /search', () => {
  it('ranks as the library does, and its explanation is enough to rank again with other α and β', async () => {
    const query = loaded.queries[6];
    const { body } = await post(`${url}/search`, { query: query.text, explain: true });
    const answer = searchAnswer.parse(body);
    expect(answer.firstStage).toBe('DPH+KL');
    expect(answer.results).toHaveLength(12);

    const ranking = await loaded.collection.retriever.search(query, { depth: 12 });
    const texts = await loaded.collection.documents.get(ranking.map(({ id }) => id));
    const documents = ranking.map(({ id, score }) => ({ ...texts.get(id)!, score }));
    for (const [alpha, beta] of [
      [0.4, 0.9],
      [0.9, 0.3],
    ]) {
      const bertQe = await BertQE.load({ models: 'TTT', alpha, beta });
      const { results } = await bertQe.rerank(query.text, documents);
      await bertQe.close();
      const { chunks, documents: explained } = answer.explanation!;
      const again = explained
        .map(({ id, queryScore, chunkScores, initial }) => {
          const expansion = chunks.reduce((sum, { weight }, i) => sum + weight * chunkScores[i]!, 0);
          return { id, final: interpolate(combine(queryScore!, expansion, alpha), initial!, beta) };
        })
        .sort((a, b) => b.final - a.final || (a.id < b.id ? -1 : 1));
      expect(again.map(({ id }) => id)).toEqual(results.map(({ id }) => id));
      again.forEach(({ final }, i) => expect(final).toBeCloseTo(results[i].score, 5));
    }
    expect(answer.results.map(({ id }) => id)).toEqual(answer.explanation!.documents.map(({ id }) => id));
  });

  it('says where chunks and passages come from', async () => {
    const { body } = await post(`${url}/search`, {
      query: loaded.queries[0].text,
      explain: true,
      texts: true,
    });
    const { explanation, results } = searchAnswer.parse(body);
    const byId = new Map(explanation!.documents.map((document) => [document.id, document]));
    expect(explanation!.chunks).toHaveLength(DEFAULTS.kc);
    expect(explanation!.chunks.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 10);
    for (const { document, start, words, text } of explanation!.chunks) {
      const passage = wordsOf(byId.get(document)!.passage!);
      expect(passage.slice(start, start + words).join(' ')).toBe(text);
    }
    for (const { id, title, text } of results) {
      const { passage, passageAt } = byId.get(id)!;
      const { titleWords, start, end } = passageAt!;
      const own = wordsOf(text!).slice(start, end);
      expect([...wordsOf(title!).slice(0, titleWords), ...own].join(' ')).toBe(passage);
    }
  });

  it('marks relevant documents and measures the three rankings as trec_eval does', async () => {
    const query = loaded.queries[2];
    const { body } = await post(`${url}/search`, { query: `  ${query.text.toUpperCase()}`, explain: true });
    const { judgements, results } = searchAnswer.parse(body);
    expect(judgements!.queryId).toBe(query.id);
    const levels = loaded.qrels.get(query.id)!;
    expect(judgements!.levels).toEqual(Object.fromEntries(levels));
    for (const { id, level } of results) expect(level).toBe(levels.get(id));
    const run = new Map([[query.id, results.map(({ id, score }) => ({ id, score }))]]);
    const { summary } = evaluate(run, loaded.qrels, { measures: ['nDCG@20', 'AP@100'] });
    expect(judgements!.measures.final['nDCG@20']).toBeCloseTo(summary.get('nDCG@20')!, 12);
    expect(judgements!.measures.final['AP@100']).toBeCloseTo(summary.get('AP@100')!, 12);
    expect(judgements!.measures.phase1).toHaveProperty('nDCG@20');
    const unknown = await post(`${url}/search`, { query: 'something nobody judged', depth: 2 });
    expect(unknown.body).not.toHaveProperty('judgements');
  });

  it('streams the initial ranking, progress through the phases, and the answer', async () => {
    const answer = await fetch(`${url}/search`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
      body: JSON.stringify({ query: loaded.queries[0].text, depth: 8 }),
    });
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = (await answer.text())
      .split('\n\n')
      .filter((block) => block.startsWith('event:'))
      .map((block) => {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block)!;
        return { name: name as keyof typeof searchEvents, data: JSON.parse(data) as unknown };
      });
    for (const { name, data } of events) searchEvents[name].parse(data);
    expect(events[0].name).toBe('initial');
    expect(events.at(-1)!.name).toBe('result');
    const phases = events.flatMap(({ name, data }) =>
      name === 'progress' ? [searchEvents.progress.parse(data)] : [],
    );
    expect([...new Set(phases.map(({ phase }) => phase))]).toEqual([
      'bestPassage',
      'phaseOne',
      'phaseTwo',
      'phaseThree',
    ]);
    expect(phases.at(-1)).toMatchObject({ pairs: 8 * DEFAULTS.kc, total: 8 * DEFAULTS.kc });
  });

  it('ends a streamed search when the client leaves', async () => {
    const leave = new AbortController();
    const answer = await fetch(`${url}/search`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
      body: JSON.stringify({ query: loaded.queries[0].text, depth: 200 }),
      signal: leave.signal,
    });
    expect(answer.status).toBe(200);
    leave.abort();
    await until(async () => (await metric(url, 'bert_qe_requests_ended_total{reason="hang-up"}')) === 1);
    expect(await metric(url, 'bert_qe_pending_tokens')).toBe(0);
  });

  it('says with a status, not with an event, what is wrong before the stream begins', async () => {
    const { status } = await post(
      `${url}/search`,
      { query: 'bridge', model: 'nobody' },
      { Accept: 'text/event-stream' },
    );
    expect(status).toBe(404);
  });

  it('re-ranks documents of the request, with or without scores of their own', async () => {
    const documents = [
      { id: 'a', text: 'Bread rises because yeast makes gas.' },
      { id: 'b', title: 'Bridges', text: 'A bridge sways in the wind.' },
    ];
    const query = 'why does a bridge sway';
    const plain = searchAnswer.parse((await post(`${url}/search`, { query, documents })).body);
    expect(plain.results[0]).toMatchObject({ id: 'b', initialRank: 2, initialScore: null });
    const scored = documents.map((document, i) => ({ ...document, score: 10 * (i + 1) }));
    const { results } = searchAnswer.parse(
      (await post(`${url}/search`, { query, documents: scored, beta: 0 })).body,
    );
    expect(results.map(({ id, initialRank, score }) => [id, initialRank, score])).toEqual([
      ['b', 1, 20],
      ['a', 2, 10],
    ]);
    const twice = await post(`${url}/search`, { query, documents: [documents[0], documents[0]] });
    expect(twice.body['message']).toBe('documents[1]: the id "a" is there twice.');
  });

  it('answers by a deadline of its own with what is known by then', async () => {
    const { body } = await post(`${url}/search`, { query: loaded.queries[0].text, deadline: 0, depth: 50 });
    const { complete, results } = searchAnswer.parse(body);
    expect(complete).toBe(false);
    expect(results).toHaveLength(50);
  });

  it('finds nothing for words that are not there, and says so with an empty list', async () => {
    const { status, body } = await post(`${url}/search`, { query: 'zyzzyva qwxyz', explain: true });
    expect(status).toBe(200);
    expect(body['results']).toEqual([]);
  });
});

describe('what else is served', () => {
  it('gives documents by id, and queries', async () => {
    const { body } = await get(`${url}/documents/bridge-galloping-gertie`);
    expect(body['id']).toBe('bridge-galloping-gertie');
    expect(body['text']).toMatch(/\w/);
    expect((await get(`${url}/documents/${encodeURIComponent('no/such?thing')}`)).status).toBe(404);
    const { queries } = (await get(`${url}/queries`)).body;
    expect(queries).toHaveLength(40);
    expect(queries[0]['relevant']).toBeGreaterThan(0);
  });

  it('lists finished experiments and serves their reports, nothing else of their folders', async () => {
    const { body } = await get(`${url}/experiments`);
    expect(body['experiments']).toMatchObject([
      { name: 'study', title, report: '/experiments/study/report.html' },
    ]);
    const report = await fetch(`${url}/experiments/study/report.html`);
    expect(report.status).toBe(200);
    expect(report.headers.get('content-security-policy')).toContain('sandbox');
    expect((await fetch(`${url}/experiments/study/tables/variants.csv`)).headers.get('content-type')).toMatch(
      /^text\/csv/,
    );
    for (const path of [
      'study/manifest.json',
      'study/tables/..%2f..%2fstudy%2freport.html',
      '..%2f..%2fetc/report.html',
      'unfinished/report.html',
    ]) {
      expect((await fetch(`${url}/experiments/${path}`)).status).toBe(404);
    }
  });

  it('lists a report however long it is', async () => {
    const report = join(experiments, 'long', 'report.html');
    mkdirSync(join(experiments, 'long'));
    writeFileSync(report, '<title>Long</title>');
    truncateSync(report, 2 ** 32);
    const { status, body } = await get(`${url}/experiments`);
    expect(status).toBe(200);
    expect(body['experiments']).toContainEqual(expect.objectContaining({ name: 'long', title: 'Long' }));
  });

  it('serves the page, its files for ever, and no hidden ones', async () => {
    expect(await (await fetch(url)).text()).toBe('<h1>the page</h1>');
    const script = await fetch(`${url}/assets/app-1234.js`);
    expect(script.headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect((await fetch(`${url}/.secret`)).status).toBe(404);
    expect((await fetch(`${url}/%2e%2e%2fpackage.json`)).status).toBe(404);
  });

  it('describes itself: OpenAPI with every route, and a page that reads the same', async () => {
    const { body } = await get(`${url}/openapi.json`);
    expect(body['openapi']).toBe('3.1.0');
    expect(Object.keys(body['paths'])).toEqual(
      expect.arrayContaining(['/v2/rerank', '/search', '/documents/{id}']),
    );
    const schema =
      body['paths']['/v2/rerank']['post']['requestBody']['content']['application/json']['schema'];
    expect(schema['required']).toEqual(['query', 'documents']);
    const page = await (await fetch(`${url}/docs`)).text();
    for (const path of Object.keys(body['paths'])) expect(page).toContain(path);
    expect(page).toContain('max_tokens_per_doc');
  });
});
