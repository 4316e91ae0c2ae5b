import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { apiPage } from './api-page.js';
import {
  answerPage,
  answerProblem,
  handlers,
  pagePolicy,
  type Ask,
  type Env,
  type RouteHandler,
} from './handlers/index.js';
import { Health } from './health.js';
import { HttpProblem, problemOf } from './http/index.js';
import type { DoorOptions } from './door.js';
import { gate, observe } from './middleware.js';
import { openApiDocument } from './openapi.js';
import { routes, type RouteName } from './routes.js';
import type { Service } from './service.js';

/** The application: every route of the table with its handler, behind the gate. */
export function createApp(service: Service, options: DoorOptions): Hono<Env> {
  const app = new Hono<Env>();
  app.use(observe(service, options));
  if (options.cors.length > 0) {
    app.use(
      cors({ origin: [...options.cors], exposeHeaders: ['Retry-After', 'Server-Timing', 'X-Request-Id'] }),
    );
  }
  app.use(gate(service, options));

  const needsKey = !options.keys.isEmpty;
  const described = once(() => JSON.stringify(openApiDocument(service.version, needsKey)));
  const page = once(() => apiPage(service.version, needsKey));
  const health = new Health(service);
  const all: Record<RouteName, RouteHandler> = {
    ...handlers,
    health: async (_, c) => {
      const state = await health.check();
      return c.json(state, state.status === 'ok' ? 200 : 503);
    },
    openapi: (_, c) => c.body(described(), 200, { 'Content-Type': 'application/json' }),
    docs: (_, c) => c.html(page(), 200, { 'Content-Security-Policy': pagePolicy }),
  };
  for (const name of Object.keys(routes) as RouteName[]) {
    const { method, path } = routes[name];
    app[method](honoPath(path), (c) => all[name](service, c));
  }
  app.get('*', (c) => answerPage(service, c));
  app.notFound((c) => answerProblem(c, nothingAt(c)));
  app.onError((error, c) => {
    const problem = problemOf(error, c.var.life.ended);
    if (problem.status === 500) options.log.failure(c.var.life.id, error);
    return answerProblem(c, problem);
  });
  return app;
}

/** Made when it is first asked for: a start should not wait for it. */
function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}

/** `{id}` → `:id`; the last parameter may hold slashes, as document ids do. */
function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}$/, ':$1{.+}').replaceAll(/\{(\w+)\}/g, ':$1');
}

function nothingAt(c: Ask): HttpProblem {
  const known = Object.values(routes).find(({ path }) => path === c.req.path);
  if (!known) {
    return new HttpProblem(
      404,
      'not_found',
      `There is nothing at ${c.req.path}; GET /docs says what there is.`,
    );
  }
  const method = known.method.toUpperCase();
  return new HttpProblem(405, 'method_not_allowed', `${c.req.path} takes ${method} only.`, { Allow: method });
}
