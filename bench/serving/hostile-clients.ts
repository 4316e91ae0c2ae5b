import { setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { generated, shapes } from '../../tests/hostile/support/shapes.js';
import { requests } from './workload.js';

/**
 * Hostile clients, in a process of their own: requests of every shape of tests/hostile and of any size, bodies that do
 * not arrive, answers that are not read, dropped connections, malformed heads. They run at a lower priority than the
 * server, because making their requests costs more than sending them, and stands for other machines.
 */

const url = new URL(process.argv[2]);
const seed = 20;
const megabyte = 1024 * 1024;
const all = [...shapes, ...fc.sample(generated, { numRuns: 100, seed })];
const honest = requests().map(({ query, texts }) => JSON.stringify({ query, texts }));
let state = seed;

/** A number from 0 to 1, the same ones in every run (Park and Miller's generator). */
function random(): number {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
}

const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)];

const counts: Record<string, number> = {};
const count = (name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);

function head(path: string, length: number, more = ''): string {
  const address = `10.9.0.${Math.floor(random() * 4)}`;
  return (
    `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\nX-Forwarded-For: ${address}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`
  );
}

/** Opens a connection, lets `act` use it, and waits until it is closed. */
function connection(
  act: (write: (bytes: string | Buffer) => void, end: () => void) => void,
  isRead = true,
): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname);
    const end = (): void => void socket.destroy();
    stopping.addEventListener('abort', end, { once: true });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      stopping.removeEventListener('abort', end);
      resolve();
    });
    if (isRead) socket.resume();
    act((bytes) => socket.write(bytes), end);
  });
}

/** A request of any shape, from a kilobyte to the largest body that is read. */
async function shaped(): Promise<void> {
  const { path, body } = pick(all);
  const bytes = Buffer.from(body(1000 * 16_000 ** random()));
  count('requests of a hostile shape');
  await connection((write, end) => {
    write(head(path, bytes.length, 'Connection: close\r\n'));
    write(bytes);
    setTimeout(end, 35_000).unref();
  });
}

/** A large answer that is not read. */
async function unread(): Promise<void> {
  const documents = Array.from({ length: 4 }, () => 'word '.repeat(100_000));
  const body = JSON.stringify({
    model: 'T',
    query: 'a',
    documents,
    max_tokens_per_doc: 5,
    return_documents: true,
  });
  count('answers that are not read');
  await connection((write) => {
    write(head('/v1/rerank', body.length));
    write(body);
  }, false);
}

/** A body of which a byte comes now and then. */
async function slow(): Promise<void> {
  count('slow bodies');
  let clock: NodeJS.Timeout | undefined;
  await connection((write) => {
    write(head('/rerank', 10 * megabyte));
    clock = setInterval(() => write(' '), 500);
  });
  clearInterval(clock);
}

/** A request like others, whose client hangs up. */
async function hangUp(): Promise<void> {
  const body = pick(honest);
  count('hang-ups');
  await connection((write, end) => {
    write(head('/rerank', Buffer.byteLength(body)));
    write(body);
    setTimeout(end, 200 * random());
  });
}

/** Malformed heads, heads that are too long, and heads with false lengths. */
async function oddHead(): Promise<void> {
  count('odd heads');
  const odd = pick([
    'GET /%ff HTTP/1.1\r\nHost: localhost\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    '\u0000\u0001\u0002 garbage\r\n\r\n',
    head('/rerank', 5, 'Transfer-Encoding: chunked\r\n'),
    `${head('/rerank', 20, 'Content-Encoding: gzip\r\n')}\u001f\u008b${'x'.repeat(18)}`,
    'POST /rerank HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n',
  ]);
  await connection((write, end) => {
    write(odd);
    setTimeout(end, 1000);
  });
}

let stopping = new AbortController().signal;

/** Repeats something until it is time to stop, with a pause of random length between. */
async function again(act: () => Promise<void>, meanPauseMs: number): Promise<void> {
  while (!stopping.aborted) {
    await act();
    await sleep(-meanPauseMs * Math.log(1 - random()), undefined, { signal: stopping }).catch(
      () => undefined,
    );
  }
}

const many = (times: number, act: () => Promise<void>, meanPauseMs: number) =>
  Array.from({ length: times }, () => again(act, meanPauseMs));

let controller = new AbortController();
let running: Promise<unknown> = Promise.resolve();

setPriority(10);
process.on('message', (asked) => {
  if (asked === 'start') {
    controller = new AbortController();
    stopping = controller.signal;
    setMaxListeners(0, stopping);
    running = Promise.all([
      ...many(2, shaped, 500),
      ...many(4, unread, 500),
      ...many(8, slow, 500),
      ...many(1, hangUp, 500),
      ...many(1, oddHead, 500),
    ]);
  } else {
    controller.abort();
    void running.then(() => process.send!(counts));
  }
});
process.send!('ready');
