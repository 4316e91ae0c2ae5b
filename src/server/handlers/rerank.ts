import { check, readJson, type RequestLife } from '../http/index.js';
import { rerankTei, rerankV1, rerankV2 } from '../rerank/index.js';
import { routes } from '../routes.js';
import { teiRequest, v1Request } from '../schemas/index.js';
import type { Service } from '../service.js';
import type { RouteHandler } from './context.js';

/** Makes the answer, to be written as JSON, of a body that was read as JSON. */
export type JsonAnswer = (service: Service, life: RequestLife, body: unknown) => Promise<object>;

const answerV2: JsonAnswer = (service, life, body) =>
  rerankV2(service, life, check(routes.rerankV2.request, body));

const answerV1: JsonAnswer = (service, life, body) =>
  rerankV1(service, life, check(routes.rerankV1.request, body));

/** The field tells whose request it is; checked against that one, a mistake is named rather than "no match". */
const answerAny: JsonAnswer = (service, life, body) => {
  const isTei = typeof body === 'object' && body !== null && 'texts' in body;
  return isTei
    ? rerankTei(service, life, check(teiRequest, body))
    : rerankV1(service, life, check(v1Request, body));
};

/** By path, for those who need no application. */
export const directAnswers: ReadonlyMap<string, JsonAnswer> = new Map([
  [routes.rerankV2.path, answerV2],
  [routes.rerankV1.path, answerV1],
  [routes.rerank.path, answerAny],
]);

export const answerRerankV2 = handlerOf(answerV2);
export const answerRerankV1 = handlerOf(answerV1);
export const answerRerank = handlerOf(answerAny);

function handlerOf(answer: JsonAnswer): RouteHandler {
  return async (service, c) =>
    c.json(await answer(service, c.var.life, await readJson(c, service.limits.bodyBytes)));
}
