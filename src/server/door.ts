import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLocalHost, problemBody, type ApiKeys, type ProblemAnswer } from './http/index.js';
import type { ServerLog } from './log.js';
import { routes, type RouteSpec } from './routes.js';
import { overloaded, type Arrival } from './scheduling/index.js';
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

export interface DoorOptions extends GateOptions {
  /** Origins whose pages may ask; none unless given. */
  readonly cors: readonly string[];
}

/** What the door looks at: the head of a request, whoever parsed it. */
export interface Head {
  readonly method: string;
  readonly path: string;
  readonly address: string | undefined;
  header(name: string): string | undefined;
}

/** A request that can be answered without the application. */
export interface PlainRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: Head;
  /** When it was first looked at. */
  readonly started: number;
}

const table: readonly RouteSpec[] = Object.values(routes);
const scoring = new Set(table.filter(({ scores }) => scores).map(({ path }) => path));
const open = new Set(table.filter((route) => route.open).map(({ path }) => path));
/** Paths with data behind them; everything else is the page. */
const guarded = table.filter((route) => !route.open).map(({ path }) => pathPattern(path));

/** Why a request is not let in; where models are to run, only while there is room. */
export function refusalOf(
  head: Head,
  service: Service,
  { keys, isLocal, trustProxy }: Omit<GateOptions, 'log'>,
): ProblemAnswer | undefined {
  const { path } = head;
  if (isLocal && !isLocalHost(head.header('host'))) return foreignHost;
  if (!keys.isEmpty && needsKey(path) && keys.owner(head.header('authorization')) === undefined) return noKey;
  if (!scores(head)) return undefined;
  if (service.draining) return draining;
  const { admission } = service;
  if (!admission.isFull(arrivalOf(head, service, { keys, trustProxy }))) return undefined;
  const headers = { 'Retry-After': String(admission.retryAfter) };
  return { status: 429, type: 'overloaded', message: overloaded, headers };
}

/** Whether models are to run for the request. */
export function scores({ method, path }: Head): boolean {
  return method === 'POST' && scoring.has(path);
}

/** What admission wants to know of a request before it is read. */
export function arrivalOf(
  head: Head,
  service: Pick<Service, 'limits'>,
  options: Pick<GateOptions, 'keys' | 'trustProxy'>,
): Arrival {
  const length = Number(head.header('content-length') ?? Number.NaN);
  return {
    client: clientOf(head, options),
    deadline: timeoutOf(head, service),
    route: head.path,
    // One that is too long will not be read.
    bytes: length <= service.limits.bodyBytes ? length : undefined,
  };
}

/**
 * Answers that there is no room, with nothing made for the request: under load most requests end here, and the time
 * they take is taken from those that were let in.
 */
export function turnAway(
  { request, response, head, started }: PlainRequest,
  problem: ProblemAnswer,
  service: Service,
  options: DoorOptions,
): void {
  const id = requestIdOf(head);
  const ms = performance.now() - started;
  const body = JSON.stringify(problemBody(problem, id));
  response.writeHead(problem.status, {
    ...problem.headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': id,
    'X-Content-Type-Options': 'nosniff',
    'Server-Timing': `total;dur=${ms.toFixed(1)}`,
    'X-Total-Time': ms.toFixed(0),
  });
  response.end(body);
  // What is still to come of the request is let go by: the connection serves the next one.
  request.resume();
  service.metrics.request(head.path, problem.status, ms / 1000);
  options.log.request({
    id,
    client: clientOf(head, options),
    method: head.method,
    route: head.path,
    status: problem.status,
    ms,
  });
}

/**
 * The head of a scoring request that needs nothing of the application: no headers for pages of other origins, no
 * body that would have to be watched as it comes.
 */
export function plainHeadOf(
  request: IncomingMessage,
  { limits }: Pick<Service, 'limits'>,
  { cors }: Pick<DoorOptions, 'cors'>,
): Head | undefined {
  if (request.method !== 'POST' || (cors.length > 0 && request.headers.origin !== undefined))
    return undefined;
  const { url = '' } = request;
  const end = url.indexOf('?');
  const head: Head = {
    method: 'POST',
    path: end === -1 ? url : url.slice(0, end),
    address: request.socket.remoteAddress,
    header: (name) => request.headers[name] as string | undefined,
  };
  const length = Number(head.header('content-length') ?? Number.NaN);
  return scores(head) && length <= limits.bodyBytes ? head : undefined;
}

/** The client's own id, where it is one that can be put into a log; else a new one. */
export function requestIdOf(head: Head): string {
  const given = head.header('x-request-id');
  return given !== undefined && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Whom a request counts for: the owner of its key, or its address. */
export function clientOf(head: Head, { keys, trustProxy }: Pick<GateOptions, 'keys' | 'trustProxy'>): string {
  const owner = keys.owner(head.header('authorization'));
  if (owner !== undefined) return owner;
  const forwarded = trustProxy ? head.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined;
  return forwarded || (head.address ?? 'unknown');
}

/** What the client grants, but no more than the server does. */
export function timeoutOf(head: Head, { limits }: Pick<Service, 'limits'>): number {
  const asked = Number(head.header('x-timeout-ms') ?? Number.NaN);
  return asked > 0 ? Math.min(asked, limits.deadlineMs) : limits.deadlineMs;
}

/** `{id}` stands for anything, slashes included. */
export function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '.+')}$`);
}

function needsKey(path: string): boolean {
  return !open.has(path) && guarded.some((pattern) => pattern.test(path));
}

const foreignHost: ProblemAnswer = {
  status: 403,
  type: 'forbidden',
  message:
    'This server listens on loopback and answers only as localhost; start it with --host to serve others.',
  headers: {},
};

const noKey: ProblemAnswer = {
  status: 401,
  type: 'unauthorized',
  message: 'The API key is missing or wrong: send Authorization: Bearer KEY.',
  headers: { 'WWW-Authenticate': 'Bearer' },
};

const draining: ProblemAnswer = {
  status: 503,
  type: 'draining',
  message: 'The server is stopping; try another.',
  headers: { 'Retry-After': '1' },
};
