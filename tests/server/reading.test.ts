import type { Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { demoTexts, metric, post, rawRequest, sendHead, startServer, until } from './support/server.js';

const query = 'why did the bridge sway in the wind';
let url: string;
let texts: string[];
const sockets: Socket[] = [];

beforeAll(async () => {
  texts = await demoTexts(20);
  ({ url } = await startServer({ models: ['T'], limits: { queueTokens: 30_000, requestTokens: 20_000 } }));
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const estimated = () => metric(url, 'bert_qe_claimed_tokens');
const admitted = () => metric(url, 'bert_qe_pending_tokens');
const isNothingHeld = async () => (await estimated()) === 0 && (await admitted()) === 0;

/** Sends the head of a request and, perhaps, the beginning of its body; the answer is kept. */
async function begin(length: number, body = ''): Promise<{ socket: Socket; heard: () => string }> {
  const socket = sendHead(url, '/rerank', length);
  sockets.push(socket);
  let heard = '';
  socket.setEncoding('utf8').on('data', (text: string) => (heard += text));
  socket.write(body);
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, heard: () => heard };
}

/** Begins requests until one holds a place: a place that was held while this process had to wait is free again. */
async function beginAndHold(...request: Parameters<typeof begin>): ReturnType<typeof begin> {
  for (;;) {
    const begun = await begin(...request);
    for (let look = 0; look < 100; look++) if ((await estimated()) > 0) return begun;
    begun.socket.destroy();
  }
}

describe('a request whose body is on its way', () => {
  it('holds a place, which is free again when the client hangs up', async () => {
    const { socket } = await beginAndHold(5000, '{"query"');
    expect(await admitted()).toBe(0);
    const ended = await metric(url, 'bert_qe_requests_ended_total{reason="hang-up"}');
    socket.destroy();
    await until(isNothingHeld);
    await until(async () => (await metric(url, 'bert_qe_requests_ended_total{reason="hang-up"}')) > ended);
  });

  it('holds it for a while only, and is answered all the same when it comes at last', async () => {
    const body = JSON.stringify({ query, texts: texts.slice(0, 2) });
    const { socket, heard } = await beginAndHold(Buffer.byteLength(body), body.slice(0, 5));
    await until(isNothingHeld);
    expect(heard()).toBe('');
    socket.write(body.slice(5));
    await until(() => heard().includes('}]'));
    expect(heard()).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    ['no JSON', '{"query": ', 400],
    ['no request', '{"query": 7, "texts": []}', 422],
    ['more work than is ever taken', JSON.stringify({ query, texts: Array(9000).fill('a') }), 413],
    ['nothing to do', JSON.stringify({ query, texts: [] }), 200],
  ])('gives its place back where it turns out to be %s', async (_, body, status) => {
    expect((await post(`${url}/rerank`, body)).status).toBe(status);
    expect(await isNothingHeld()).toBe(true);
  });

  it('is not waited for where places are held for all that could be taken', async () => {
    // The work of requests of this length is known once one was read.
    expect((await post(`${url}/rerank`, { query, texts })).status).toBe(200);
    const body = JSON.stringify({ query, texts });
    const length = Buffer.byteLength(body);
    const unfinished = body.slice(0, -1);
    const begun: Awaited<ReturnType<typeof begin>>[] = [];
    // A crowd, and another where this process had to wait so long that the places of the first are free again.
    for (let look = 0; !begun.some(({ heard }) => heard() !== ''); look++) {
      if (look % 100 === 0)
        begun.push(...(await Promise.all(Array.from({ length: 20 }, () => begin(length, unfinished)))));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const { heard } of begun) if (heard() !== '') expect(heard()).toMatch(/^HTTP\/1\.1 429 /);
    expect(await admitted()).toBe(0);
    for (const { socket } of begun) socket.destroy();
    await until(isNothingHeld);
    expect((await post(`${url}/rerank`, { query, texts })).status).toBe(200);
  });
});

describe('bodies that do not come', () => {
  it('hold nothing: other requests of their client are answered', async () => {
    expect((await post(`${url}/rerank`, { query, texts })).status).toBe(200);
    await Promise.all(Array.from({ length: 100 }, () => begin(10_000_000, '{')));
    expect(await estimated()).toBeLessThan(100);
    expect((await post(`${url}/rerank`, { query, texts })).status).toBe(200);
  });
});

/** Without a declared length: chunked. */
function chunked(path: string, body: string) {
  const headers = { 'Content-Type': 'application/json' };
  return rawRequest(`${url}${path}`, { method: 'POST', headers }, (asking) => {
    asking.write(body.slice(0, 10));
    asking.end(body.slice(10));
  });
}

const withoutIds = (text: string) => text.replaceAll(/"(id|request_id)":"[^"]*"/g, '');
const ofAnyLength = (names: Iterable<string>) =>
  [...names].filter((name) => !['content-length', 'transfer-encoding'].includes(name)).sort();

describe('a request without a declared length', () => {
  it.each([
    ['/rerank', { query, texts: ['a bridge', 'the wind', ''] }],
    ['/v1/rerank', { query, documents: ['a bridge', { text: 'the wind' }], top_n: 1 }],
    ['/v2/rerank', { query, documents: ['a bridge'], explain: true }],
    ['/v2/rerank', { query, documents: [7] }],
    ['/rerank', { query, texts: Array(9000).fill('a') }],
  ])('is answered as one with: %s %#', async (path, value) => {
    const body = JSON.stringify(value);
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    const other = await chunked(path, body);
    expect(answer.status).toBe(other.status);
    expect(withoutIds(await answer.text())).toBe(withoutIds(other.body));
    expect(ofAnyLength(answer.headers.keys())).toEqual(ofAnyLength(Object.keys(other.headers)));
    expect(answer.headers.get('content-type')).toBe(other.headers['content-type']);
  });
});
