import type { Answer, RequestContext } from '../http/index.js';
import type { RouteName } from '../routes.js';
import type { Service } from '../service.js';

/** Answers a route. `body` is the parsed JSON of routes that take one. */
export type Handler = (service: Service, context: RequestContext, body: unknown) => Answer | Promise<Answer>;

export type Handlers = Readonly<Record<RouteName, Handler>>;
