import { check, readJson } from '../http/index.js';
import { rerankTei, rerankV1, rerankV2 } from '../rerank/index.js';
import { routes } from '../routes.js';
import { teiRequest, v1Request } from '../schemas/index.js';
import type { RouteHandler } from './context.js';

export const answerRerankV2: RouteHandler = async (service, c) => {
  const body = check(routes.rerankV2.request, await readJson(c, service.limits.bodyBytes));
  return c.json(await rerankV2(service, c.var.life, body));
};

export const answerRerankV1: RouteHandler = async (service, c) => {
  const body = check(routes.rerankV1.request, await readJson(c, service.limits.bodyBytes));
  return c.json(await rerankV1(service, c.var.life, body));
};

/** The field tells whose request it is; checked against that one, a mistake is named rather than "no match". */
export const answerRerank: RouteHandler = async (service, c) => {
  const body = await readJson(c, service.limits.bodyBytes);
  const isTei = typeof body === 'object' && body !== null && 'texts' in body;
  return isTei
    ? c.json(await rerankTei(service, c.var.life, check(teiRequest, body)))
    : c.json(await rerankV1(service, c.var.life, check(v1Request, body)));
};
