import type { MiddlewareHandler } from 'hono';
import { arrivalOf, refusalOf, scores, type GateOptions, type Head } from './door.js';
import { answerProblem, eventStreamType, type Ask, type Env } from './handlers/index.js';
import type { Service } from './service.js';
import { Visit } from './visit.js';

/** Gives every request an id and a life, and writes it down when it is over. */
export function observe(service: Service, options: GateOptions): MiddlewareHandler<Env> {
  return async (c, next) => {
    const visit = new Visit(headOf(c), service, options);
    const { life } = visit;
    const { signal: hangUp } = c.req.raw;
    hangUp.addEventListener('abort', () => life.end('hang-up'), { once: true });
    if (hangUp.aborted) life.end('hang-up');
    c.set('life', life);
    c.set('log', options.log);
    c.set('finish', (status) => visit.finish(status));
    await next();
    const { headers } = c.res;
    for (const [name, value] of Object.entries(visit.headers())) headers.set(name, value);
    if (headers.get('content-type') !== eventStreamType)
      visit.finish(life.ended === 'hang-up' ? 499 : c.res.status);
  };
}

/** Lets in who may come in. */
export function gate(service: Service, options: GateOptions): MiddlewareHandler<Env> {
  return async (c, next) => {
    const head = headOf(c);
    const refusal = refusalOf(head, service, options);
    if (refusal) return answerProblem(c, refusal);
    if (scores(head)) c.var.life.hold(service.admission.claim(arrivalOf(head, service, options)));
    return next();
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
