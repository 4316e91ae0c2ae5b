// npm run build && node --import tsx bench/serving/http-stack.ts [--fastify FOLDER] [--connections 1,8,64] [--rounds 7] [--seconds 1]
// The HTTP layer without models: a small JSON body, checked by the schema of TEI, over kept connections. The base is a
// bare node:http server that checks the same schema. FOLDER has node_modules with fastify; it is left out without one.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Application } from '../../src/server/application.js';
import { handlers } from '../../src/server/handlers/index.js';
import {
  Access,
  ApiKeys,
  check,
  jsonAnswer,
  listen,
  BodyReader,
  ParseQueue,
  UnsentAnswers,
  parseJson,
  type Answer,
  type BodySource,
} from '../../src/server/http/index.js';
import { matchRoute } from '../../src/server/http/router.js';
import { defaultLimits, defaultTimeouts } from '../../src/server/limits.js';
import { ServerLog } from '../../src/server/log.js';
import { ServerMetrics } from '../../src/server/metrics/server-metrics.js';
import { Admission } from '../../src/server/scheduling/index.js';
import { teiRequest } from '../../src/server/schemas/index.js';
import type { Service } from '../../src/server/service.js';
import { closedLoop, median } from './closed-loop.js';
import { startServer, stopServer } from './contenders.js';
import { withCpuTime } from './cpu-time.js';
import { HttpClient } from './http-client.js';

const { values } = parseArgs({
  options: {
    serve: { type: 'string' },
    fastify: { type: 'string' },
    connections: { type: 'string', default: '1,8,64' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
  },
});

const warmUpSeconds = 3;
const body = {
  query: 'why do bridges sway',
  texts: ['wind sets the deck swinging', 'a red bridge', 'bread'],
};
const gauge = () => 0;
const ranking = body.texts.map((_, index) => ({ index, score: 0.5 }));

/** A server that reads, parses, checks and answers, and does nothing else. */
async function bare(): Promise<number> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      teiRequest.parse(JSON.parse(Buffer.concat(chunks).toString()));
      const text = JSON.stringify(ranking);
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
      });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const bodies = new BodyReader(defaultLimits);

async function answerByTable(request: IncomingMessage): Promise<Answer> {
  const match = matchRoute(request.url ?? '');
  if (match?.name !== 'rerank') return jsonAnswer({}, 404);
  const source: BodySource = { request, bodyBytes: Number(request.headers['content-length']), client: '' };
  const body = parseJson(await bodies.read(source));
  source.held?.release();
  await check(teiRequest, body, 'texts');
  return jsonAnswer(ranking);
}

function respondByTable(request: IncomingMessage, response: ServerResponse): void {
  void answerByTable(request).then(({ status, headers, body: text = '' }) => {
    response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) });
    response.end(text);
  });
}

/** The route table alone: routing, body limit, parsing, answer. */
async function routeTable(): Promise<number> {
  return (await listen(respondByTable, '127.0.0.1', 0, defaultTimeouts)).port;
}

/** The whole server but for the models: access, admission, deadline, request id, timing and metrics, too. */
async function wholeServer(): Promise<number> {
  const admission = new Admission(defaultLimits, { perSecond: 1e9 });
  const service = {
    access: new Access({ keys: new ApiKeys([]), isLocal: true, trustProxy: false, cors: [] }),
    limits: defaultLimits,
    admission,
    bodies,
    parseQueue: new ParseQueue(),
    unsent: new UnsentAnswers(defaultTimeouts.answerMs),
    metrics: new ServerMetrics({
      admittedTokens: gauge,
      estimatedTokens: gauge,
      activeRequests: gauge,
      tokensPerSecond: gauge,
    }),
    log: new ServerLog('silent', process.stderr),
    activeRequests: new Set(),
    draining: false,
  } as unknown as Service;
  const { listener } = new Application(service, {
    ...handlers,
    rerank: async (_, context, given) => {
      await check(teiRequest, given, 'texts');
      context.reservation?.admit(100);
      return jsonAnswer(ranking);
    },
  });
  return (await listen(listener, '127.0.0.1', 0, defaultTimeouts)).port;
}

/** Fastify with its own body limit and a compiled serialiser, and nothing of what ours does beside. */
async function fastify(folder: string): Promise<number> {
  const load = createRequire(join(folder, 'package.json'));
  // oxlint-disable-next-line typescript/no-explicit-any
  const app = load('fastify')({ bodyLimit: defaultLimits.bodyBytes }) as any;
  const place = { type: 'object', properties: { index: { type: 'integer' }, score: { type: 'number' } } };
  const schema = { response: { 200: { type: 'array', items: place } } };
  // oxlint-disable-next-line typescript/no-explicit-any
  app.post('/rerank', { schema }, async (request: any, reply: any) => {
    await check(teiRequest, request.body, 'texts');
    return reply.send(ranking);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

async function measure(): Promise<void> {
  const names = ['bare', 'route-table', 'server', ...(values.fastify ? ['fastify'] : [])];
  const systems = await Promise.all(
    names.map(async (name) => {
      const folder = values.fastify ? ['--fastify', values.fastify] : [];
      const server = await startServer([
        '--import',
        'tsx',
        'bench/serving/http-stack.ts',
        '--serve',
        name,
        ...folder,
      ]);
      return { name, server, client: new HttpClient(server.url, [body]) };
    }),
  );
  const run = async ({ server, client }: (typeof systems)[number], clients: number, seconds: number) => {
    const { result, cpu } = await withCpuTime([server.process.pid!], () =>
      closedLoop({ clients, seconds }, (i) => client.must(i)),
    );
    return {
      perSecond: result.requests / result.seconds,
      cpuMicroseconds: (1000 * (cpu[0].main + cpu[0].others)) / result.requests,
    };
  };
  try {
    for (const system of systems) await run(system, 8, warmUpSeconds);
    for (const clients of values.connections.split(',').map(Number)) {
      const rounds = new Map(
        names.map((name) => [name, [] as { perSecond: number; cpuMicroseconds: number }[]]),
      );
      for (let i = 0; i < Number(values.rounds); i++) {
        // The place in a round changes: the first one measures a few microseconds less.
        for (let j = 0; j < systems.length; j++) {
          const system = systems[(i + j) % systems.length];
          rounds.get(system.name)!.push(await run(system, clients, Number(values.seconds)));
        }
      }
      const base = rounds.get('bare')!;
      for (const [system, measured] of rounds) {
        const row = {
          connections: clients,
          system,
          requestsPerSecond: Math.round(median(measured.map(({ perSecond }) => perSecond))),
          ofBare: median(measured.map(({ perSecond }, i) => perSecond / base[i].perSecond)),
          cpuMicroseconds: median(measured.map(({ cpuMicroseconds }) => cpuMicroseconds)),
        };
        process.stdout.write(`${JSON.stringify(row)}\n`);
      }
    }
  } finally {
    for (const { client } of systems) client.close();
    await Promise.all(systems.map(({ server }) => stopServer(server)));
  }
}

if (values.serve === undefined) await measure();
else {
  const servers: Record<string, () => Promise<number>> = {
    bare,
    'route-table': routeTable,
    server: wholeServer,
    fastify: () => fastify(values.fastify!),
  };
  process.stdout.write(`http://127.0.0.1:${await servers[values.serve]()}\n`);
}
