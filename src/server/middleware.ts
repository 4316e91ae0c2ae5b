import type { MiddlewareHandler } from 'hono';
import {
  clientOf,
  pathPattern,
  refusalOf,
  requestIdOf,
  timeoutOf,
  type GateOptions,
  type Head,
} from './door.js';
import { answerProblem, eventStreamType, type Ask, type Env } from './handlers/index.js';
import { RequestLife, type Notes } from './http/index.js';
import { routes, type RouteSpec } from './routes.js';
import type { Service } from './service.js';

const table: readonly RouteSpec[] = Object.values(routes);
const exact = new Set(table.map(({ path }) => path));
const patterns = table
  .filter(({ parameters }) => parameters)
  .map(({ path }) => ({ path, pattern: pathPattern(path) }));

/** Gives every request an id and a life, and writes it down when it is over. */
export function observe(service: Service, options: GateOptions): MiddlewareHandler<Env> {
  return async (c, next) => {
    const started = performance.now();
    const head = headOf(c);
    const life = new RequestLife(
      requestIdOf(head),
      clientOf(head, options),
      timeoutOf(head, service),
      c.req.raw.signal,
    );
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

/** Lets in who may come in. */
export function gate(service: Service, options: GateOptions): MiddlewareHandler<Env> {
  return async (c, next) => {
    const refusal = refusalOf(headOf(c), service, options);
    return refusal ? answerProblem(c, refusal) : next();
  };
}

function headOf(c: Ask): Head {
  return {
    method: c.req.method,
    path: c.req.path,
    address: c.env.incoming?.socket.remoteAddress,
    header: (name) => c.req.header(name),
  };
}

/** The route's pattern: a path as such may hold ids, and metrics must not grow with them. */
function routeOf(path: string): string {
  if (exact.has(path)) return path;
  return patterns.find(({ pattern }) => pattern.test(path))?.path ?? 'page';
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
