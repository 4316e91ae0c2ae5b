import { jsonAnswer, largeJsonAnswer, type Answer, type RequestContext } from '../http/index.js';
import type { RouteName } from '../routes.js';
import type { Service } from '../service.js';

/** Answers a route. `body` is the parsed JSON of routes that take one. */
export type Handler = (service: Service, context: RequestContext, body: unknown) => Answer | Promise<Answer>;

export type Handlers = Readonly<Record<RouteName, Handler>>;

/** Bytes of a body whose answer, which may repeat its documents, is written at once. An explanation may be longer. */
const quickBytes = 1024 * 1024;

export function answerOf(
  { bodyBytes = Number.POSITIVE_INFINITY }: RequestContext,
  value: object,
): Answer | Promise<Answer> {
  return bodyBytes > quickBytes || 'explanation' in value ? largeJsonAnswer(value) : jsonAnswer(value);
}
