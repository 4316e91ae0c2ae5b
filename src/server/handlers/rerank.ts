import { check } from '../http/index.js';
import { rerankTei, rerankV1, rerankV2 } from '../rerank/wire-formats.js';
import { cohereV2Request, teiRequest, v1Request } from '../schemas/index.js';
import { answerOf, type Handler } from './handler.js';

export const answerRerankV2: Handler = async (service, context, body) =>
  answerOf(context, await rerankV2(service, context, await check(cohereV2Request, body, 'documents')));

export const answerRerankV1: Handler = async (service, context, body) =>
  answerOf(context, await rerankV1(service, context, await check(v1Request, body, 'documents')));

/** Answers TEI if the request has `texts`, else Cohere v1. With one schema to check against, errors name the wrong field. */
export const answerRerank: Handler = async (service, context, body) => {
  const isTei = typeof body === 'object' && body !== null && 'texts' in body;
  if (!isTei) return answerRerankV1(service, context, body);
  return answerOf(context, await rerankTei(service, context, await check(teiRequest, body, 'texts')));
};
