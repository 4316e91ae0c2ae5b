import { request, type ClientRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { readDocuments, readQrels, readQueries } from '../../../src/collection/index.js';
import {
  buildIndex,
  createAnalyzer,
  DivergenceFeedback,
  Index,
  KL,
  Searcher,
} from '../../../src/retrieval/index.js';
import { RerankServer, ServerLog, type ServerOptions } from '../../../src/server/index.js';
import { temporaryFolder } from '../../support/folders.js';

export const demo = fileURLToPath(new URL('../../../demo/', import.meta.url));

/** Keeps what is logged. */
export class LogLines extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/**
 * A server in this process, on a free port, with the tiny model; stopped after the test file. However busy the machine
 * is, no request ends at a deadline, or is refused for one, that its test has not set.
 */
export async function startServer(options: Partial<ServerOptions> = {}) {
  const lines = new LogLines();
  const server = await RerankServer.start({
    version: '0.0.0-test',
    log: new ServerLog('info', lines),
    models: ['TTT', 'T'],
    port: 0,
    ...options,
    limits: { deadlineMs: 3_600_000, ...options.limits },
  });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= server.stop(5000));
  afterAll(stop);
  return { url: server.url, stop, server, lines };
}

/** The demo collection as a server wants it. */
export async function demoCollection() {
  const folder = temporaryFolder();
  await buildIndex(readDocuments(demo), { folder, analyzer: createAnalyzer({ base: 'terrier' }) });
  const index = Index.open(folder);
  afterAll(() => index.close());
  return {
    collection: {
      retriever: new Searcher(index, { feedback: new DivergenceFeedback(KL) }),
      documents: index,
      firstStage: 'DPH+KL',
      statistics: index.statistics,
    },
    queries: await readQueries(demo),
    qrels: await readQrels(`${demo}qrels.txt`),
  };
}

/** Texts of the demo collection. */
export async function demoTexts(count: number): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of readDocuments(demo)) {
    texts.push(text);
    if (texts.length === count) break;
  }
  return texts;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** Answers have many shapes; each expectation names its own. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json };
}

export async function get(url: string, headers: Record<string, string> = {}): Promise<Answered> {
  const answer = await fetch(url, { headers });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json };
}

/** A connection that has sent the head of a request, whose body is to have so many bytes. */
export function sendHead(url: string, path: string, bodyBytes: number): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: ${bodyBytes}\r\n\r\n`);
  return socket;
}

/** Sends a request by `node:http`, which sets fewer headers than `fetch`; `send` writes the body. */
export function rawRequest(
  url: string,
  options: RequestOptions,
  send: (asking: ClientRequest) => void = (asking) => asking.end(),
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const asking = request(url, options, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (part: string) => (body += part));
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, body }));
    });
    asking.on('error', reject);
    send(asking);
  });
}

/** The value of a metric, labels as written. */
export async function metric(
  url: string,
  name: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length));
}

/** Waits until something holds; the test's own limit ends it otherwise. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}
