import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerDirectly } from '../../src/server/direct.js';
import { ApiKeys } from '../../src/server/http/index.js';
import { ServerLog } from '../../src/server/log.js';
import type { Service } from '../../src/server/service.js';

/** A service with no room: whatever is looked at beyond that is not there. */
const full = {
  draining: false,
  admission: { isFull: () => true, retryAfter: 7 },
  limits: { bodyBytes: 1000, deadlineMs: 30_000 },
  metrics: { request: () => undefined },
};
const log = new ServerLog('silent', process.stderr);
const closed = { keys: new ApiKeys([]), cors: [] as string[], isLocal: true, trustProxy: false, log };

let server: Server;
let service = full;
let options = closed;
beforeAll(async () => {
  server = createServer((asked, answer) => {
    if (!answerDirectly(asked, answer, service as unknown as Service, options)) answer.end('let in');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function ask(
  { method = 'POST', path = '/v2/rerank', headers = {}, body = '{}' } = {},
  situation: Partial<typeof full> = {},
  choices: Partial<typeof closed> = {},
): Promise<Answer> {
  service = { ...full, ...situation };
  options = { ...closed, ...choices };
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const asking = request({ port, method, path, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, body: text }));
    });
    asking.on('error', reject);
    asking.end(method === 'POST' ? body : undefined);
  });
}

describe('the door, where there is no room', () => {
  test('turns scoring away with 429, the time to wait, and the id of the request', async () => {
    const { status, headers, body } = await ask({ headers: { 'X-Request-Id': 'mine' } });
    expect(status).toBe(429);
    expect(headers).toMatchObject({ 'retry-after': '7', 'x-request-id': 'mine' });
    expect(JSON.parse(body)).toMatchObject({ error_type: 'overloaded', request_id: 'mine' });
    expect((await ask({ path: '/rerank?x=1' })).status).toBe(429);
  });

  test.each([
    ['what does not score', { path: '/v2/other' }],
    ['what is only looked at', { method: 'GET' }],
    ['a foreign host, which is told that', { headers: { Host: 'elsewhere.example' } }],
    ['a body that is too long', { headers: { 'Content-Length': '2000' }, body: 'x'.repeat(2000) }],
    ['a body of unknown length', { headers: { 'Transfer-Encoding': 'chunked' } }],
  ])('leaves %s to the application', async (_, asked) => {
    expect((await ask(asked)).body).toBe('let in');
  });

  test('leaves those who may not ask, other origins, and the end of the server to the application', async () => {
    const keys = new ApiKeys(['secret']);
    expect((await ask({}, {}, { keys })).body).toBe('let in');
    expect((await ask({ headers: { Authorization: 'Bearer secret' } }, {}, { keys })).status).toBe(429);
    const cors = ['https://page.example'];
    expect((await ask({ headers: { Origin: cors[0] } }, {}, { cors })).body).toBe('let in');
    expect((await ask({}, { draining: true })).body).toBe('let in');
  });

  test('asks for the room of the client, of its deadline, and of the length of the body', async () => {
    const asked: unknown[] = [];
    const admission = { retryAfter: 1, isFull: (...args: unknown[]) => asked.push(args) === 0 };
    const headers = { 'X-Timeout-Ms': '250', 'Content-Length': '7' };
    await ask(
      { path: '/rerank?a', headers, body: '{"a":1}' },
      { admission: admission as typeof full.admission },
    );
    expect(asked).toEqual([[{ client: '127.0.0.1', deadline: 250, route: '/rerank', bytes: 7 }]]);
  });

  test('lets the rest of a request go by: the next one on the connection is answered', async () => {
    service = full;
    options = closed;
    const { port } = server.address() as AddressInfo;
    const one = 'POST /rerank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n';
    const heard = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(`${one}first${one}secon`));
      socket.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.split('HTTP/1.1 429').length === 3) socket.destroy();
      });
      socket.on('close', () => resolve(text));
    });
    expect(heard.match(/HTTP\/1\.1 429/g)).toHaveLength(2);
  });
});
