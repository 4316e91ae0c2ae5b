import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ServerProcess } from './support/server-process.js';

const megabyte = 1024 * 1024;

let server: ServerProcess;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await server.stop();
});

function open(): Socket {
  const { port, hostname } = new URL(server.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

function head(path: string, more: string, client = 1): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.0.0.${client}\r\n` +
    `Content-Type: application/json\r\n${more}\r\n`
  );
}

/** Starts a server, lets clients act, and checks that others are answered meanwhile and memory is given back. */
async function survives(act: () => Promise<void>): Promise<void> {
  server = await ServerProcess.start({ trustProxy: true, limits: { deadlineMs: 5000 } });
  await server.post('/v2/rerank', '{"query":"a","documents":["a"]}');
  const before = await server.measure('memory');
  const ready: number[] = [];
  const looks = setInterval(() => {
    const looked = fetch(`${server.url}/ready`, { headers: { Connection: 'close' } });
    looked.then(({ status }) => ready.push(status)).catch(() => ready.push(0));
  }, 200);
  await act();
  clearInterval(looks);
  const { longest } = await server.measure('block');
  for (const socket of sockets) socket.destroy();
  expect((await server.post('/v2/rerank', '{"query":"a","documents":["a"]}')).status).toBe(200);
  expect((await server.memoryUpTo(before.rss + 100 * megabyte)).rss - before.rss).toBeLessThan(
    100 * megabyte,
  );
  expect(ready).not.toContain(0);
  expect(longest).toBeLessThan(500);
}

/** Writes pieces until the connection is closed, or all are written. */
async function writeAll(socket: Socket, piece: string, times: number): Promise<void> {
  for (let i = 0; i < times && !socket.destroyed; i++) {
    if (socket.write(piece)) continue;
    await new Promise<void>((resolve) => {
      socket.once('drain', resolve);
      socket.once('close', () => resolve());
    });
  }
}

describe('the server lives on and answers others', () => {
  it('while bodies come byte by byte', async () => {
    await survives(async () => {
      const senders = Array.from({ length: 4 }, async () => {
        const socket = open().resume();
        socket.write(head('/rerank', 'Transfer-Encoding: chunked\r\n'));
        await writeAll(socket, '1\r\n \r\n'.repeat(100_000), 40);
        expect(socket.destroyed).toBe(true);
      });
      await Promise.all(senders);
    });
  });

  it('while requests with large bodies wait behind long ones', async () => {
    const documents = Array.from({ length: 8 }, (_, i) => `w${i} ${'é '.repeat(600_000)}`);
    const large = JSON.stringify({ query: 'a', model: 'T', max_tokens_per_doc: 1, documents });
    await survives(async () => {
      for (let client = 0; client < 20; client++) {
        const texts = Array.from({ length: 3000 }, (_, i) => `${client} ${i}${' red'.repeat(100)}`);
        const long = JSON.stringify({ query: 'a', model: 'TTT', texts });
        open()
          .resume()
          .write(`${head('/rerank', `Content-Length: ${long.length}\r\n`, client)}${long}`);
      }
      await sleep(1000);
      for (let i = 0; i < 40; i++) {
        open()
          .resume()
          .write(`${head('/v2/rerank', `Content-Length: ${Buffer.byteLength(large)}\r\n`, i % 20)}${large}`);
        await sleep(100);
      }
      await sleep(3000);
    });
  });

  it.each(['/docs', '/openapi.json', '/', '/variants', '/metrics', '/v1/models'])(
    'while thousands of requests for %s come ahead of their answers, which are not read',
    async (path) => {
      await survives(async () => {
        const requests = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(3000);
        for (let i = 0; i < 20; i++) open().pause().write(requests);
        await sleep(3000);
      });
    },
  );

  it('while thousands of small requests come ahead of their answers', async () => {
    await survives(async () => {
      const body = '{"query":"a","texts":["a"]}';
      for (let i = 0; i < 20; i++) {
        const request = `${head('/rerank', `Content-Length: ${body.length}\r\n`, i)}${body}`;
        open().resume().write(request.repeat(3000));
      }
      await sleep(3000);
    });
  });

  it('while five thousand connections bring half a head', async () => {
    await survives(async () => {
      for (let i = 0; i < 5000; i++) {
        open().write('GET /re');
        if (i % 100 === 0) await sleep(20);
      }
      await sleep(1000);
    });
  });

  it('while documents are long and requests are given up before they are tokenised', async () => {
    await survives(async () => {
      for (let i = 0; i < 30; i++) {
        const documents = Array.from({ length: 8 }, (_, j) => `${i} ${j} ${'word '.repeat(300_000)}`);
        const body = JSON.stringify({ query: 'a', model: 'T', documents });
        await server.post('/v2/rerank', body, { 'X-Timeout-Ms': '60' });
      }
    });
  });
});

describe('a connection', () => {
  it('has its requests answered in their order, however many come ahead', async () => {
    server = await ServerProcess.start({ models: ['T'] });
    const socket = open();
    let answers = '';
    socket.on('data', (data: Buffer) => (answers += data.toString()));
    const names = Array.from({ length: 100 }, (_, i) => `model-${i}`);
    socket.write(names.map((name) => `GET /v1/models/${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''));
    while (!answers.includes('"model-99"')) await sleep(20);
    expect([...answers.matchAll(/"id":"(model-\d+)"/g)].map(([, name]) => name)).toEqual(names);
  });
});
