import type { ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Application } from '../../src/server/application.js';
import { Access, ApiKeys, ParseQueue, UnsentAnswers } from '../../src/server/http/index.js';
import { ServerLog } from '../../src/server/log.js';
import type { Service } from '../../src/server/service.js';
import { listening } from '../support/listening.js';
import { rawRequest } from './support/server.js';

/** A service that is full: it answers nothing that would run models. */
const full = {
  draining: false,
  admission: { isFull: () => true, retryAfter: 7 },
  limits: { bodyBytes: 1000, deadlineMs: 30_000 },
  metrics: { request: () => undefined },
  log: new ServerLog('silent', process.stderr),
  parseQueue: new ParseQueue(),
  unsent: new UnsentAnswers(30_000),
  activeRequests: new Set(),
  page: '/nowhere',
};
const anybody = { keys: new ApiKeys([]), cors: [] as string[], isLocal: true, trustProxy: false };

let service: object = {};
const url = await listening((request, response) =>
  new Application(service as Service).listener(request, response),
);

async function ask(
  { method = 'POST', path = '/v2/rerank', headers = {}, body = '{}' } = {},
  situation: Partial<typeof full> = {},
  rules: Partial<typeof anybody> = {},
) {
  service = { ...full, access: new Access({ ...anybody, ...rules }), ...situation };
  const send = (asking: ClientRequest) => asking.end(method === 'POST' ? body : undefined);
  return rawRequest(`${url}${path}`, { method, headers, agent: false }, send);
}

describe('a server that is full', () => {
  test('refuses scoring with 429, the time to wait, and the id of the request', async () => {
    const { status, headers, body } = await ask({ headers: { 'X-Request-Id': 'mine' } });
    expect(status).toBe(429);
    expect(headers).toMatchObject({ 'retry-after': '7', 'x-request-id': 'mine' });
    expect(JSON.parse(body)).toMatchObject({ error_type: 'overloaded', request_id: 'mine' });
    expect((await ask({ path: '/rerank?x=1' })).status).toBe(429);
  });

  test.each([
    ['another path', { path: '/v2/other' }, 404],
    ['another method', { method: 'GET' }, 405],
    ['a foreign host', { headers: { Host: 'elsewhere.example' } }, 403],
  ])('tells %s what is wrong with it', async (_, asked, status) => {
    expect((await ask(asked)).status).toBe(status);
  });

  test.each([
    ['too long', { headers: { 'Content-Length': '2000' }, body: 'x'.repeat(2000) }],
    ['of unknown length', { headers: { 'Transfer-Encoding': 'chunked' } }],
  ])('does not read a body that is %s', async (_, asked) => {
    expect((await ask(asked)).status).toBe(429);
  });

  test('asks for a key first, and says when it is stopping', async () => {
    const keys = new ApiKeys(['secret']);
    expect((await ask({}, {}, { keys })).status).toBe(401);
    expect((await ask({ headers: { Authorization: 'Bearer secret' } }, {}, { keys })).status).toBe(429);
    const stopping = await ask({}, { draining: true });
    expect(stopping.status).toBe(503);
    expect(stopping.headers).toMatchObject({ 'retry-after': '1', connection: 'close' });
  });

  test('tells pages of allowed origins, so that they can read the answer', async () => {
    const cors = ['https://page.example'];
    const { status, headers } = await ask({ headers: { Origin: cors[0] } }, {}, { cors });
    expect(status).toBe(429);
    expect(headers).toMatchObject({
      'access-control-allow-origin': cors[0],
      'access-control-expose-headers': 'Retry-After,Server-Timing,X-Request-Id',
      vary: 'Origin',
    });
    const any = await ask({ headers: { Origin: 'https://other.example' } }, {}, { cors: ['*'] });
    expect(any.headers['access-control-allow-origin']).toBe('*');
  });

  test('answers preflight requests of pages without a key, where other origins may ask', async () => {
    const keys = new ApiKeys(['secret']);
    const cors = ['https://page.example'];
    const preflight = {
      method: 'OPTIONS',
      headers: { Origin: cors[0], 'Access-Control-Request-Headers': 'content-type' },
    };
    const { status, headers, body } = await ask(preflight, {}, { keys, cors });
    expect([status, body]).toEqual([204, '']);
    expect(headers).toMatchObject({
      'access-control-allow-origin': cors[0],
      'access-control-allow-methods': 'GET,HEAD,POST',
      'access-control-allow-headers': 'content-type',
    });
    expect((await ask(preflight)).status).toBe(405);
  });

  test('looks at the client, the deadline and the length of the body', async () => {
    const asked: unknown[] = [];
    const admission = {
      retryAfter: 1,
      isFull: (...args: unknown[]) => {
        asked.push(args);
        return true;
      },
    };
    const headers = { 'X-Timeout-Ms': '250', 'Content-Length': '7' };
    await ask({ path: '/rerank?a', headers, body: '{"a":1}' }, { admission });
    await ask({ headers: { 'X-Forwarded-For': 'me, 10.0.0.1' } }, { admission }, { trustProxy: true });
    expect(asked).toMatchObject([
      [{ client: '127.0.0.1', deadline: 250, route: '/rerank', bytes: 7 }],
      [{ client: '10.0.0.1', deadline: 30_000, route: '/v2/rerank' }],
    ]);
  });

  test('discards the rest of a request: the next one on the connection is answered', async () => {
    service = { ...full, access: new Access(anybody) };
    const one = 'POST /rerank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n';
    const heard = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
        socket.write(`${one}first${one}secon`),
      );
      socket.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.split('HTTP/1.1 429').length === 3) socket.destroy();
      });
      socket.on('close', () => resolve(text));
    });
    expect(heard.match(/HTTP\/1\.1 429/g)).toHaveLength(2);
  });
});
