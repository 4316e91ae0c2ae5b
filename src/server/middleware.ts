import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { answerProblem, eventStreamType, type Ask, type Env } from './handlers/index.js';
import { ApiKeys, HttpProblem, isLocalHost, RequestLife, type Notes } from './http/index.js';
import type { ServerLog } from './log.js';
import { routes, type RouteSpec } from './routes.js';
import { overloaded, Refusal } from './scheduling/index.js';
import type { Service } from './service.js';

/** Who may ask, and how they are told apart. */
export interface GateOptions {
  readonly keys: ApiKeys;
  /** Listening on loopback only: foreign host names are refused. */
  readonly isLocal: boolean;
  /** Behind a proxy: the client's address is the last of X-Forwarded-For. */
  readonly trustProxy: boolean;
  readonly log: ServerLog;
}

const table: readonly RouteSpec[] = Object.values(routes);
const scoring = new Set(table.filter(({ scores }) => scores).map(({ path }) => path));
const exact = new Set(table.map(({ path }) => path));
const patterns = table
  .filter(({ parameters }) => parameters)
  .map(({ path }) => ({ path, pattern: pathPattern(path) }));
const open = new Set(table.filter((route) => route.open).map(({ path }) => path));
/** Paths with data behind them; everything else is the page. */
const guarded = table.filter((route) => !route.open).map(({ path }) => pathPattern(path));

/** Gives every request an id and a life, and writes it down when it is over. */
export function observe(service: Service, options: GateOptions): MiddlewareHandler<Env> {
  return async (c, next) => {
    const started = performance.now();
    const life = new RequestLife(requestId(c), clientOf(c, options), timeoutOf(c, service), c.req.raw.signal);
    service.lives.add(life);
    let isFinished = false;
    c.set('life', life);
    c.set('log', options.log);
    c.set('finish', (status) => {
      if (isFinished) return;
      isFinished = true;
      const ms = performance.now() - started;
      life.close();
      service.lives.delete(life);
      const route = routeOf(c.req.path);
      service.metrics.request(route, status, ms / 1000);
      if (life.notes.queueMs !== undefined) service.metrics.queued(life.notes.queueMs / 1000);
      if (life.ended) service.metrics.ended(life.ended);
      options.log.request({
        id: life.id,
        client: life.client,
        method: c.req.method,
        route,
        status,
        ms,
        ...life.notes,
      });
    });
    await next();
    const { headers } = c.res;
    headers.set('X-Request-Id', life.id);
    headers.set('X-Content-Type-Options', 'nosniff');
    for (const [name, value] of timingHeaders(life.notes, performance.now() - started))
      headers.set(name, value);
    if (service.draining) headers.set('Connection', 'close');
    if (headers.get('content-type') !== eventStreamType)
      c.var.finish(life.ended === 'hang-up' ? 499 : c.res.status);
  };
}

/** Lets in who may come in; where models are to run, only while there is room. */
export function gate(service: Service, { keys, isLocal }: GateOptions): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { path } = c.req;
    const { life } = c.var;
    if (isLocal && !isLocalHost(c.req.header('host'))) {
      throw new HttpProblem(
        403,
        'forbidden',
        'This server listens on loopback and answers only as localhost; start it with --host to serve others.',
      );
    }
    const needsKey = !open.has(path) && guarded.some((pattern) => pattern.test(path));
    if (!keys.isEmpty && needsKey && keys.owner(c.req.header('authorization')) === undefined) {
      throw new HttpProblem(
        401,
        'unauthorized',
        'The API key is missing or wrong: send Authorization: Bearer KEY.',
        {
          'WWW-Authenticate': 'Bearer',
        },
      );
    }
    if (scoring.has(path) && c.req.method === 'POST') {
      if (service.draining) throw new Refusal('draining', 'The server is stopping; try another.', 1);
      // Answered without an exception: under load most requests end here.
      if (service.admission.isFull(life.client, life.deadline)) {
        const headers = { 'Retry-After': String(service.admission.retryAfter) };
        return answerProblem(c, { status: 429, type: 'overloaded', message: overloaded, headers });
      }
    }
    return next();
  };
}

/** The client's own id, where it is one that can be put into a log; else a new one. */
function requestId(c: Ask): string {
  const given = c.req.header('x-request-id');
  return given !== undefined && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

function clientOf(c: Ask, { keys, trustProxy }: GateOptions): string {
  const owner = keys.owner(c.req.header('authorization'));
  if (owner !== undefined) return owner;
  const forwarded = trustProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined;
  return forwarded || (c.env.incoming?.socket.remoteAddress ?? 'unknown');
}

/** What the client grants, but no more than the server does. */
function timeoutOf(c: Ask, { limits }: Service): number {
  const asked = Number(c.req.header('x-timeout-ms') ?? Number.NaN);
  return asked > 0 ? Math.min(asked, limits.deadlineMs) : limits.deadlineMs;
}

/** The route's pattern: a path as such may hold ids, and metrics must not grow with them. */
function routeOf(path: string): string {
  if (exact.has(path)) return path;
  return patterns.find(({ pattern }) => pattern.test(path))?.path ?? 'page';
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '.+')}$`);
}

/** The standard header, which browsers show, and those of TEI. */
function timingHeaders(
  { queueMs, inferenceMs, retrievalMs, tokens }: Notes,
  totalMs: number,
): [string, string][] {
  const parts: [string, number | undefined][] = [
    ['retrieval', retrievalMs],
    ['queue', queueMs],
    ['inference', inferenceMs],
    ['total', totalMs],
  ];
  const known = parts.filter((part): part is [string, number] => part[1] !== undefined);
  return [
    ['Server-Timing', known.map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`).join(', ')],
    ...known
      .filter(([name]) => name !== 'retrieval')
      .map(([name, ms]): [string, string] => [`X-${name}-Time`, ms.toFixed(0)]),
    ...(tokens === undefined ? [] : [['X-Compute-Tokens', String(tokens)] as [string, string]]),
  ];
}
