import { clientOf, pathPattern, requestIdOf, timeoutOf, type GateOptions, type Head } from './door.js';
import { RequestLife, type Notes } from './http/index.js';
import { routes, type RouteSpec } from './routes.js';
import type { Service } from './service.js';

const table: readonly RouteSpec[] = Object.values(routes);
const exact = new Set(table.map(({ path }) => path));
const patterns = table
  .filter(({ parameters }) => parameters)
  .map(({ path }) => ({ path, pattern: pathPattern(path) }));

/** A request that was let in: its life, the headers of its answer, and what is written down when it is over. */
export class Visit {
  readonly life: RequestLife;
  readonly #started = performance.now();
  #isFinished = false;

  constructor(
    private readonly head: Head,
    private readonly service: Service,
    private readonly options: GateOptions,
  ) {
    this.life = new RequestLife(requestIdOf(head), clientOf(head, options), timeoutOf(head, service));
    service.lives.add(this.life);
  }

  /** What every answer says beside what was asked for. */
  headers(): Record<string, string> {
    const { life, service } = this;
    const headers: Record<string, string> = {
      'X-Request-Id': life.id,
      'X-Content-Type-Options': 'nosniff',
    };
    addTiming(headers, life.notes, performance.now() - this.#started);
    if (service.draining) headers['Connection'] = 'close';
    return headers;
  }

  /** Writes the request down; only the first call counts. */
  finish(status: number): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const { life, head, service } = this;
    const ms = performance.now() - this.#started;
    life.close();
    service.lives.delete(life);
    const route = routeOf(head.path);
    service.metrics.request(route, status, ms / 1000);
    if (life.notes.queueMs !== undefined) service.metrics.queued(life.notes.queueMs / 1000);
    if (life.ended) service.metrics.ended(life.ended);
    this.options.log.request({
      id: life.id,
      client: life.client,
      method: head.method,
      route,
      status,
      ms,
      ...life.notes,
    });
  }
}

/** The route's pattern: a path as such may hold ids, and metrics must not grow with them. */
function routeOf(path: string): string {
  if (exact.has(path)) return path;
  return patterns.find(({ pattern }) => pattern.test(path))?.path ?? 'page';
}

/** The standard header, which browsers show, and those of TEI. */
function addTiming(headers: Record<string, string>, notes: Notes, totalMs: number): void {
  const { queueMs, inferenceMs, retrievalMs, tokens } = notes;
  let timing = '';
  if (retrievalMs !== undefined) timing += `retrieval;dur=${retrievalMs.toFixed(1)}, `;
  if (queueMs !== undefined) {
    timing += `queue;dur=${queueMs.toFixed(1)}, `;
    headers['X-Queue-Time'] = queueMs.toFixed(0);
  }
  if (inferenceMs !== undefined) {
    timing += `inference;dur=${inferenceMs.toFixed(1)}, `;
    headers['X-Inference-Time'] = inferenceMs.toFixed(0);
  }
  headers['Server-Timing'] = `${timing}total;dur=${totalMs.toFixed(1)}`;
  headers['X-Total-Time'] = totalMs.toFixed(0);
  if (tokens !== undefined) headers['X-Compute-Tokens'] = String(tokens);
}
