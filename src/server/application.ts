import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerPage, handlers, type Handlers } from './handlers/index.js';
import {
  discardBody,
  HttpProblem,
  parseJson,
  problemAnswer,
  problemOf,
  RequestContext,
  type Answer,
  type ProblemAnswer,
} from './http/index.js';
import { methodOf } from './routes.js';
import { overloaded, type Arrival } from './scheduling/index.js';
import type { Service } from './service.js';

/** Characters of a body that is parsed without queueing: it blocks the event loop for a fraction of a millisecond. */
const quickBodyLength = 4096;

/** Answers requests: access, admission, routing, body, handler, and the record of it all. */
export class Application {
  constructor(
    private readonly service: Service,
    private readonly handlerOf: Handlers = handlers,
  ) {}

  /** The listener of an HTTP server. */
  readonly listener = (request: IncomingMessage, response: ServerResponse): void => {
    const { service } = this;
    service.parseQueue.noteArrival();
    const context = new RequestContext(request, response, service);
    const preflight = context.method === 'OPTIONS' ? service.access.preflightHeaders(request) : undefined;
    if (preflight) return this.#send(context, { status: 204, headers: preflight, body: '' });
    const refusal = this.#refuseOrReserve(context);
    // Under load most requests end here, so nothing more is made for them.
    if (refusal) return this.#send(context, problemAnswer(refusal, context.id));
    context.begin();
    service.activeRequests.add(context);
    this.#answer(context)
      .then((answer) => this.#send(context, answer))
      .catch((error: unknown) => {
        service.log.failure(context.id, error);
        response.destroy();
      });
  };

  /** Refuses a request from its head alone, or reserves queue space for it. */
  #refuseOrReserve(context: RequestContext): ProblemAnswer | undefined {
    const { service } = this;
    const { request, caller, match } = context;
    const refusal = service.access.refusalOf(request.headers.host, caller, match?.route);
    if (refusal || !runsModels(context)) return refusal;
    if (service.draining) return draining;
    const arrival = this.#arrivalOf(context);
    if (service.admission.isFull(arrival)) {
      const headers = { 'Retry-After': String(service.admission.retryAfter) };
      return { type: 'overloaded', message: overloaded, headers };
    }
    context.reservation = service.admission.reserve(arrival);
    return undefined;
  }

  #arrivalOf({ client, deadline, path, bodyBytes }: RequestContext): Arrival {
    // A body that is too long will not be read.
    const isReadable = bodyBytes !== undefined && bodyBytes <= this.service.limits.bodyBytes;
    return { client, deadline, route: path, bytes: isReadable ? bodyBytes : undefined };
  }

  async #answer(context: RequestContext): Promise<Answer> {
    const { service } = this;
    const { match, method } = context;
    try {
      if (match && methodOf(match.route) === method) {
        let body: unknown;
        if (match.route.request) {
          const text = await service.bodies.read(context);
          if (text.length > quickBodyLength) await service.parseQueue.next();
          body = parseJson(text);
        }
        return await this.handlerOf[match.name](service, context, body);
      }
      const page = !match && method === 'GET' ? await answerPage(service, context) : undefined;
      return page ?? problemAnswer(nothingAt(context), context.id);
    } catch (error) {
      return problemAnswer(problemOf(error, context, service.log), context.id);
    }
  }

  #send(context: RequestContext, { status, headers, body }: Answer): void {
    const { request, response, bodyBytes } = context;
    if (body !== undefined && !response.destroyed) {
      const length = status === 204 ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      context.writeHead(status, { ...headers, ...length });
      response.end(body);
      this.service.unsent.watch(response);
    }
    discardBody(request, bodyBytes, this.service.limits.bodyBytes);
    this.#record(context, context.ended === 'hang-up' ? 499 : status);
  }

  /** Closes the request and writes it to metrics and log. */
  #record(context: RequestContext, status: number): void {
    const { metrics, log, activeRequests } = this.service;
    const { id, client, routeLabel: route, notes, ended, started, request } = context;
    const ms = performance.now() - started;
    context.close();
    activeRequests.delete(context);
    const entry = { id, client, method: request.method ?? '', route, status, ms, ...notes };
    metrics.request(entry, ended);
    log.request(entry);
  }
}

function runsModels({ match, method }: RequestContext): boolean {
  return match?.route.scores === true && method === 'POST';
}

function nothingAt({ match, path }: RequestContext): HttpProblem {
  if (!match) {
    return new HttpProblem('not_found', `There is nothing at ${path}; GET /docs says what there is.`);
  }
  const method = methodOf(match.route);
  return new HttpProblem('method_not_allowed', `${path} takes ${method} only.`, { Allow: method });
}

const draining: ProblemAnswer = {
  type: 'draining',
  message: 'The server is stopping; try another.',
  headers: { 'Retry-After': '1' },
};
