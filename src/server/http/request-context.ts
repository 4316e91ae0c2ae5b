import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceLimits } from '../limits.js';
import type { Reservation } from '../scheduling/index.js';
import type { Access, Caller } from './access.js';
import type { HeldBody } from './held-memory.js';
import type { EndReason } from './problem.js';
import { matchRoute, type RouteMatch } from './router.js';

/** Facts about a request for headers, log and metrics; never its texts. */
export interface RequestNotes {
  readonly model?: string;
  readonly documents?: number;
  readonly pairs?: number;
  readonly tokens?: number;
  readonly queueMs?: number;
  readonly inferenceMs?: number;
  readonly retrievalMs?: number;
}

/** The part of the service that a request depends on. */
export interface RequestEnvironment {
  readonly limits: ServiceLimits;
  readonly access: Access;
  readonly draining: boolean;
}

/** One request, from its head to the end of its answer. */
export class RequestContext {
  readonly started = performance.now();
  readonly path: string;
  readonly match: RouteMatch | undefined;
  readonly caller: Caller;
  /** The client's own id if it can be put into a log, else a new one. */
  readonly id: string;
  /** Milliseconds until the answer is no longer wanted. */
  readonly deadline: number;
  /** Bytes of the body; undefined for a chunked one. */
  readonly bodyBytes: number | undefined;
  /** The queue space of a request that runs models. */
  reservation: Reservation | undefined;
  /** The memory of its body. */
  held: HeldBody | undefined;
  #controller: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended: EndReason | undefined;
  #notes: RequestNotes = {};

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly environment: RequestEnvironment,
  ) {
    const { headers } = request;
    const { limits, access } = environment;
    this.path = pathOf(request.url ?? '');
    this.match = matchRoute(this.path);
    this.caller = access.callerOf(request);
    const id = headers['x-request-id'];
    this.id = typeof id === 'string' && /^[\w.:-]{1,128}$/.test(id) ? id : randomUUID();
    const timeout = Number(headers['x-timeout-ms'] ?? Number.NaN);
    this.deadline = timeout > 0 ? Math.min(timeout, limits.deadlineMs) : limits.deadlineMs;
    this.bodyBytes =
      headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
  }

  /** HEAD is answered as GET; Node leaves the body out. */
  get method(): string {
    const { method = 'GET' } = this.request;
    return method === 'HEAD' ? 'GET' : method;
  }

  get client(): string {
    return this.caller.client;
  }

  /** The route's path for metrics and log. Paths themselves may hold ids. */
  get routeLabel(): string {
    return this.match?.route.path ?? 'page';
  }

  /** Starts the deadline and watches the connection. */
  begin(): void {
    this.#timer = setTimeout(() => this.end('deadline'), this.deadline);
    this.#timer.unref();
    this.response.on('close', () => {
      if (!this.response.writableFinished) this.end('hang-up');
    });
    this.response.on('error', () => this.end('hang-up'));
  }

  /** Aborts when the answer is no longer wanted. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) this.#controller.abort(this.#ended);
    }
    return this.#controller.signal;
  }

  get ended(): EndReason | undefined {
    return this.#ended;
  }

  get notes(): RequestNotes {
    return this.#notes;
  }

  note(notes: RequestNotes): void {
    this.#notes = { ...this.#notes, ...notes };
  }

  /** Gives the request up; the first reason stays. */
  end(reason: EndReason): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#controller?.abort(reason);
  }

  /** Releases everything when the request has been answered. */
  close(): void {
    clearTimeout(this.#timer);
    this.reservation?.release();
    this.held?.release();
  }

  /** Writes status and headers: those given, and those of every answer. */
  writeHead(status: number, given: Readonly<Record<string, string>>): void {
    const { access, draining } = this.environment;
    const headers: Record<string, string> = {
      'X-Request-Id': this.id,
      'X-Content-Type-Options': 'nosniff',
      ...access.corsHeaders(this.request.headers.origin),
      ...given,
    };
    addTiming(headers, this.#notes, performance.now() - this.started);
    if (draining) headers['Connection'] = 'close';
    this.response.writeHead(status, headers);
  }
}

/** The path of a request target, which a proxy may send as a whole URL. */
function pathOf(target: string): string {
  if (!target.startsWith('/') && URL.canParse(target)) return new URL(target).pathname;
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

/** Adds the standard header, which browsers show, and those of TEI. */
function addTiming(headers: Record<string, string>, notes: RequestNotes, totalMs: number): void {
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
