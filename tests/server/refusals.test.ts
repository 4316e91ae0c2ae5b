import { request } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { get, metric, post, rawRequest, startServer, type LogLines } from './support/server.js';

let url: string;
let lines: LogLines;

beforeAll(async () => {
  ({ url, lines } = await startServer({
    models: ['T'],
    limits: { requestTokens: 1_000_000 },
  }));
});

const query = 'why does a bridge sway';

describe('what a client sends is refused with the right status', () => {
  it.each([
    ['no JSON', '{"query": ', 400, /not JSON/],
    ['NaN, which JSON has not', '{"query": "a", "documents": [], "top_n": NaN}', 400, /not JSON/],
    ['an empty body', '', 400, /not JSON/],
    ['no object', '[1, 2]', 422, /expected object/],
    ['no query', { documents: ['a'] }, 422, /^query: .*expected string/],
    ['an empty query', { query: ' \t', documents: ['a'] }, 422, /^query: must not be empty/],
    ['a number for a query', { query: 7, documents: ['a'] }, 422, /^query: .*expected string/],
    [
      'a document that is a number',
      { query, documents: ['a', 7] },
      422,
      /^documents\[1\]: .*expected string/,
    ],
    ['documents that are no list', { query, documents: 'a' }, 422, /^documents: .*expected array/],
    ['top_n of nothing', { query, documents: ['a'], top_n: 0 }, 422, /^top_n: /],
    ['half a place', { query, documents: ['a'], top_n: 1.5 }, 422, /^top_n: /],
    ['an infinite number', '{"query": "a", "documents": [], "top_n": 1e999}', 422, /^top_n: /],
    ['α beyond 1', { query, documents: ['a'], method: { alpha: 1.5 } }, 422, /^method\.alpha: /],
    [
      'a misspelt parameter',
      { query, documents: ['a'], method: { aplha: 0.5 } },
      422,
      /^method\.aplha: there is no such field; did you mean alpha\?$/,
    ],
    ['a misspelt field', { query, documents: ['a'], topN: 1 }, 422, /^topN: .* did you mean top_n\?$/],
    ['a field for another', { query, document: ['a'] }, 422, /^document: .* did you mean documents\?$/],
    ['a query of a megabyte', { query: 'a'.repeat(1_000_000), documents: ['a'] }, 422, /^query: /],
  ])('%s', async (_, body, status, message) => {
    const answer = await post(`${url}/v2/rerank`, body);
    expect(answer.status).toBe(status);
    expect(answer.body['message']).toMatch(message);
    expect(answer.body['error']).toBe(answer.body['message']);
    expect(answer.body['detail']).toBe(answer.body['message']);
    expect(answer.body['error_type']).toBe(status === 400 ? 'invalid_json' : 'invalid_request');
    expect(answer.body['request_id']).toBe(answer.headers.get('x-request-id'));
  });

  it('top_n and top_k at once, documents without a text, a body that is not UTF-8', async () => {
    const both = await post(`${url}/v1/rerank`, { query, documents: ['a'], top_n: 1, top_k: 1 });
    expect([both.status, both.body['message']]).toEqual([
      422,
      'top_n and top_k mean the same; give one of them.',
    ]);
    const bare = await post(`${url}/v1/rerank`, { query, documents: ['a', {}] });
    expect(bare.body['message']).toBe('documents[1] has no fields; give it a "text".');
    const bytes = await fetch(`${url}/v2/rerank`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: Buffer.from([0x7b, 0xff, 0x7d]),
    });
    expect(bytes.status).toBe(400);
    expect(await bytes.text()).toContain('not UTF-8');
  });

  it('another media type, another method, another path', async () => {
    const form = await post(`${url}/v2/rerank`, 'query=a', {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    expect([form.status, form.body['error_type']]).toEqual([415, 'unsupported_media_type']);
    const got = await get(`${url}/v2/rerank`);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await get(`${url}/v3/rerank`)).status).toBe(404);
  });

  it('a million documents: not parsed', async () => {
    const documents = Array.from({ length: 1_000_000 }, () => 'a');
    const { status, body } = await post(`${url}/v2/rerank`, { query, documents });
    expect(status).toBe(413);
    expect(body['message']).toMatch(/more than 20000 documents/);
    expect(await metric(url, 'bert_qe_pending_tokens')).toBe(0);
  });

  it('many long documents: counted, not scored', async () => {
    const documents = Array.from({ length: 20_000 }, () => 'a bridge '.repeat(30));
    const { status, body } = await post(`${url}/v2/rerank`, { query, documents });
    expect(status).toBe(413);
    expect(body['message']).toMatch(/about \d{7,} tokens of work; this server takes at most 1000000/);
    expect(await metric(url, 'bert_qe_pending_tokens')).toBe(0);
  });

  it.each(['declared', 'chunked'])('a body of 300 MB, %s: not read to its end, and not kept', async (how) => {
    const before = process.memoryUsage().rss;
    const megabyte = Buffer.alloc(1 << 20, 'a');
    const status = await new Promise<number>((resolve, reject) => {
      const sending = request(
        `${url}/v2/rerank`,
        {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            ...(how === 'declared' ? { 'Content-Length': 300 << 20 } : {}),
          },
        },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode!);
        },
      );
      // The server hangs up on what it will not read; by then it has answered.
      sending.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
      });
      sending.on('close', () => reject(new Error('The server hung up without an answer.')));
      let sent = 0;
      const send = (): void => {
        while (sent++ < 300) if (!sending.write(megabyte)) return void sending.once('drain', send);
        sending.end();
      };
      send();
    });
    expect(status).toBe(413);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 << 20);
  });

  it('headers and bodies that come drop by drop: the connection is closed, others are served', async () => {
    const { url: impatient } = await startServer({
      models: ['T'],
      timeouts: { headersMs: 300, requestMs: 600 },
    });
    const { port } = new URL(impatient);
    const drip = (first: string, drop: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1');
        let heard = '';
        socket.write(first);
        const timer = setInterval(() => socket.write(drop), 50);
        socket.on('data', (data: Buffer) => (heard += data.toString()));
        socket.on('error', () => undefined);
        socket.on('close', () => {
          clearInterval(timer);
          resolve(heard);
        });
      });
    const slow = [
      drip('POST /v2/rerank HTTP/1.1\r\nHost: localhost\r\n', 'X-Drop: 1\r\n'),
      drip(
        'POST /v2/rerank HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{',
        ' ',
      ),
    ];
    expect((await get(`${impatient}/health`)).status).toBe(200);
    for (const heard of await Promise.all(slow)) expect(heard).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe('who asks', () => {
  it('under a foreign host name is sent away by a server on loopback', async () => {
    const { status } = await rawRequest(`${url}/info`, { headers: { Host: 'evil.example' } });
    expect(status).toBe(403);
  });

  it('from a page elsewhere is not told that it may, unless its origin was named', async () => {
    const plain = await fetch(`${url}/info`, { headers: { Origin: 'https://app.example' } });
    expect(plain.headers.get('access-control-allow-origin')).toBeNull();
    const { url: shared } = await startServer({ models: ['T'], cors: ['https://app.example'] });
    const ask = (origin: string) => fetch(`${shared}/info`, { headers: { Origin: origin } });
    expect((await ask('https://app.example')).headers.get('access-control-allow-origin')).toBe(
      'https://app.example',
    );
    expect((await ask('https://other.example')).headers.get('access-control-allow-origin')).toBeNull();
  });

  it('needs a key where there are keys: missing 401, wrong 401, right 200; probes and the page go without', async () => {
    const { url: locked } = await startServer({ models: ['T'], keys: ['s3cret', 'other'] });
    const body = { query, documents: ['a bridge'] };
    const missing = await post(`${locked}/v2/rerank`, body);
    expect([missing.status, missing.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    for (const wrong of ['Bearer s3cre', 'Bearer s3cret2', 'Basic s3cret', 'Bearer', 'Bearer é']) {
      const refused = await post(`${locked}/v2/rerank`, body, { Authorization: wrong });
      expect([refused.status, refused.body['error_type']]).toEqual([401, 'unauthorized']);
    }
    for (const right of ['Bearer s3cret', 'bearer other']) {
      expect((await post(`${locked}/v2/rerank`, body, { Authorization: right })).status).toBe(200);
    }
    for (const path of ['health', 'ready', 'openapi.json', 'docs']) {
      expect((await fetch(`${locked}/${path}`)).status).toBe(200);
    }
    for (const path of [
      'info',
      'variants',
      'queries',
      'documents/a',
      'experiments',
      'experiments/a/report.html',
      'metrics',
    ]) {
      expect((await fetch(`${locked}/${path}`)).status).toBe(401);
    }
  });
});

describe('the log', () => {
  it('tells of requests, not of their texts', async () => {
    await post(`${url}/v2/rerank`, { query: 'unmistakable question', documents: ['unmistakable answer'] });
    await post(`${url}/v2/rerank`, '{"query": "unmistakable mistake');
    const answered = lines.text.split('\n').filter((line) => line.includes('"answered"'));
    expect(JSON.parse(answered.at(-2)!)).toMatchObject({
      route: '/v2/rerank',
      status: 200,
      documents: 1,
      model: 'tiny',
    });
    expect(JSON.parse(answered.at(-1)!)).toMatchObject({ status: 400 });
    expect(lines.text).not.toContain('unmistakable');
  });
});
