import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BodyReader, UnsentAnswers } from '../../src/server/http/index.js';
import { JsonMeter } from '../../src/server/http/json-meter.js';
import { jsonDepth } from '../../src/server/limits.js';
import { ServerProcess } from '../hostile/support/server-process.js';
import { shapes } from '../hostile/support/shapes.js';
import { listening } from '../support/listening.js';
import { demoTexts, get, post, sendHead, startServer, until } from './support/server.js';

const megabyte = 1024 * 1024;

describe('hostile requests, some of them small', () => {
  let server: ServerProcess;
  beforeAll(
    async () => (server = await ServerProcess.start({ models: ['T'], limits: { deadlineMs: 1000 } })),
  );
  afterAll(() => server.stop());

  it('do not hold the serving thread', async () => {
    const some = shapes.filter((_, i) => i % 9 === 0);
    for (const { name, path, body } of some) {
      await server.measure('block');
      const { status } = await server.post(path, body(megabyte));
      const { longest } = await server.measure('block');
      expect(status, name).toBeGreaterThanOrEqual(200);
      expect(status === 504 || status < 500, `${name}: ${status}`).toBe(true);
      expect(longest, name).toBeLessThan(250);
    }
  });

  it('are answered before they are parsed, however many values they have', async () => {
    const { status, body } = await server.post(
      '/v1/rerank',
      `{"query":"a","documents":[${'1,'.repeat(4_500_000)}1]}`,
    );
    expect([status, body.length < 2000]).toEqual([413, true]);
    expect((await server.post('/v1/rerank', '{"query":"a","documents":["a"]}')).status).toBe(200);
  });
});

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('the structure of a body', () => {
  const limits = { documents: 100, values: 1000 };
  const isTaken = (text: string, chunk = text.length, given = limits): boolean => {
    const meter = new JsonMeter(given);
    const bytes = Buffer.from(text);
    try {
      for (let i = 0; i < bytes.length; i += chunk) meter.add(bytes.subarray(i, i + chunk));
      return true;
    } catch {
      return false;
    }
  };

  it('is counted alike however the bytes arrive', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.integer({ min: 1, max: 7 }), (text, chunk) => {
        const few = { documents: 3, values: 6 };
        expect(isTaken(text, chunk, few)).toBe(isTaken(text, text.length, few));
        expect(isTaken(text)).toBe(true);
      }),
    );
  });

  it('is limited in depth, width and number of values', () => {
    expect(isTaken(nested(jsonDepth))).toBe(true);
    expect(isTaken(nested(jsonDepth + 1))).toBe(false);
    expect(isTaken(JSON.stringify(Array(100).fill(1)))).toBe(true);
    expect(isTaken(JSON.stringify(Array(101).fill(1)))).toBe(false);
    expect(isTaken(JSON.stringify(Array(11).fill(Array(100).fill(1))))).toBe(false);
    expect(isTaken(JSON.stringify('[,{"\\'.repeat(5000)))).toBe(true);
  });
});

describe('odd requests', () => {
  let url: string;
  beforeAll(
    async () => ({ url } = await startServer({ models: ['T'], keys: ['secret'], experiments: '/tmp' })),
  );
  const key = { Authorization: 'Bearer secret' };

  it('in a compressed body: 415', async () => {
    const answer = await fetch(`${url}/rerank`, {
      method: 'POST',
      headers: { ...key, 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      body: gzipSync('{"query":"a","texts":["a"]}'),
    });
    expect(answer.status).toBe(415);
  });

  it.each(['/%', '/%ff', '/assets/%c0', '/%00', '/a%0ab', '/%e0%80%80/../x'])('for %s: 404', async (path) => {
    expect((await get(`${url}${path}`)).status).toBe(404);
  });

  it.each(['/experiments/nl%0aname/report.html', '/documents/a%0a%0db', '/experiments/%0a/%0a'])(
    'for %s need a key',
    async (path) => {
      expect((await get(`${url}${path}`)).status).toBe(401);
      expect((await get(`${url}${path}`, key)).status).toBe(404);
    },
  );

  it.each([
    ['a deep field', `{"query":"a","documents":[{"a":${'['.repeat(5000)}${']'.repeat(5000)}}]}`, 413],
    ['many unknown fields', `{"query":"a","documents":[],"method":{"${'k'.repeat(900)}":1}}`, 422],
    ['a long field name', `{"query":"a","documents":[{"${'k'.repeat(1100)}":1}]}`, 413],
    ['wrong rank_fields', `{"query":"a","documents":[],"rank_fields":[${'1,'.repeat(5000)}1]}`, 422],
    [
      'more than a hundred rank_fields',
      `{"query":"a","documents":[],"rank_fields":["${Array(101).fill('a').join('","')}"]}`,
      422,
    ],
    [
      'a long text in an object',
      JSON.stringify({ query: 'a', documents: [{ text: 'a '.repeat(1_000_001) }] }),
      422,
    ],
    ['wrong documents', `{"query":"a","documents":[${'1,'.repeat(5000)}1]}`, 422],
    ['a long model name', `{"query":"a","documents":[],"model":"${'m'.repeat(100_000)}"}`, 422],
    [
      'passages of a word',
      JSON.stringify({ query: 'a', documents: ['a '.repeat(300_000)], method: { passageWords: 1 } }),
      413,
    ],
  ])('with %s: refused in a short line', async (_, body, status) => {
    const answered = await post(`${url}/v1/rerank`, body, key);
    expect([answered.status, answered.body.message.length < 1100]).toEqual([status, true]);
  });

  it('names the first wrong documents of many', async () => {
    const documents = Array.from({ length: 3000 }, (_, i) => (i < 1500 ? 'a' : i));
    const { body } = await post(`${url}/v2/rerank`, { query: 'a', documents }, key);
    expect(body.message).toMatch(/^documents\[1500\]: .*documents\[1502\]: .*\(and more\)\.$/);
  });
});

describe('clients that do not read', () => {
  it('are dropped after a time', async () => {
    const { url } = await startServer({ models: ['T'], timeouts: { answerMs: 3000 } });
    const body = JSON.stringify({
      query: 'a bridge',
      documents: Array.from({ length: 7 }, () => 'word '.repeat(380_000)),
      max_tokens_per_doc: 5,
      return_documents: true,
    });
    const socket = sendHead(url, '/v1/rerank', body.length);
    socket.write(body);
    // One that reads gets the whole answer meanwhile.
    const whole = await post(`${url}/v1/rerank`, body);
    expect(whole.status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 5000));
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
    await new Promise((resolve) => socket.on('close', resolve));
    expect(bytes).toBeLessThan(JSON.stringify(whole.body).length);
  });

  it('hold a limited number of bytes together', async () => {
    const unsent = new UnsentAnswers(60_000, 12 * megabyte);
    const answers: ServerResponse[] = [];
    const url = await listening((_, response) => {
      answers.push(response);
      response.end(Buffer.alloc(8 * megabyte));
      unsent.watch(response);
    });
    const sockets = Array.from({ length: 5 }, () => sendHead(url, '/', 0));
    await until(() => answers.length === 5);
    expect(unsent.bytes).toBeLessThanOrEqual(12 * megabyte);
    await until(() => answers.filter(({ destroyed }) => destroyed).length >= 4);
    for (const socket of sockets) socket.destroy();
    unsent.close();
  });
});

describe('bodies that are slow', () => {
  it('are given up for those that come, where there is no room for both', async () => {
    const reader = new BodyReader({ bodyBytes: megabyte, documents: 100, values: 100 }, 1.5 * megabyte);
    const outcomes: string[] = [];
    const url = await listening((request, response) => {
      reader
        .read({ request, bodyBytes: undefined, client: '' })
        .then(({ length }) => outcomes.push(`read ${length}`))
        .catch((error: Error) => outcomes.push(error.message))
        .finally(() => response.end());
    });
    const slow = sendHead(url, '/', megabyte);
    slow.write(Buffer.alloc(megabyte - 1, ' '));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const quick = sendHead(url, '/', megabyte);
    quick.write(Buffer.alloc(megabyte, ' '));
    await until(() => outcomes.length === 2);
    expect(outcomes).toEqual([expect.stringContaining('came too slowly'), `read ${megabyte}`]);
    slow.destroy();
    quick.destroy();
  });
});

describe('bodies that come fast', () => {
  it('leave others their turns of the event loop, however many there are', async () => {
    const reader = new BodyReader({ bodyBytes: 4 * megabyte, documents: 100, values: 100 });
    let inTurn = 0;
    let most = 0;
    let isOver = false;
    const nextTurn = () => {
      most = Math.max(most, inTurn);
      inTurn = 0;
      if (!isOver) setImmediate(nextTurn);
    };
    const read: number[] = [];
    const url = await listening((request, response) => {
      let before = 0;
      const grow = (bytes: number) => {
        inTurn += bytes - before;
        before = bytes;
      };
      void reader
        .read({ request, bodyBytes: undefined, client: '', reservation: { grow } })
        .then(({ length }) => read.push(length))
        .finally(() => response.end());
    });
    nextTurn();
    const body = Buffer.alloc(4 * megabyte, ' ');
    const sockets = Array.from({ length: 8 }, () => {
      const socket = sendHead(url, '/', body.length);
      socket.write(body);
      return socket;
    });
    await until(() => read.length === 8);
    isOver = true;
    expect(read).toEqual(Array(8).fill(body.length));
    // A quarter of a megabyte, and a piece of 64 kB of each body.
    expect(most).toBeLessThanOrEqual(megabyte / 4 + 8 * 65_536);
    for (const socket of sockets) socket.destroy();
  });
});

describe('stopping', () => {
  it('answers 503 on kept and on new connections until admitted requests are done', async () => {
    const texts = await demoTexts(200);
    // More than a timer can hold.
    const { url, server } = await startServer({ models: ['T'], limits: { deadlineMs: 2_147_484_000 } });
    const admitted = post(`${url}/rerank`, { query: 'a bridge', texts });
    await until(
      async () => !(await (await fetch(`${url}/metrics`)).text()).includes('bert_qe_pending_tokens 0'),
    );
    const stopped = server.stop(3_000_000_000);
    const [ready, work] = await Promise.all([
      get(`${url}/ready`),
      post(`${url}/rerank`, { query: 'a', texts }),
    ]);
    expect([ready.status, ready.headers.get('connection'), work.status]).toEqual([503, 'close', 503]);
    expect((await admitted).status).toBe(200);
    await stopped;
  });
});
