import { check } from '../http/index.js';
import { rerankTei, rerankV1, rerankV2 } from '../rerank/index.js';
import { cohereV2Request, teiRequest, v1Request } from '../schemas/index.js';
import { answerOf, type Handler } from './handler.js';

export const answerRerankV2: Handler = async (service, context, body) =>
  answerOf(context, await rerankV2(service, context, await check(cohereV2Request, body, 'documents')));

export const answerRerankV1: Handler = async (service, context, body) =>
  answerOf(context, await rerankV1(service, context, await check(v1Request, body, 'documents')));

/** The field `texts` tells TEI from Cohere v1. Checked against one schema, a wrong field is named. */
export const answerRerank: Handler = async (service, context, body) => {
  const isTei = typeof body === 'object' && body !== null && 'texts' in body;
  if (!isTei) return answerRerankV1(service, context, body);
  return answerOf(context, await rerankTei(service, context, await check(teiRequest, body, 'texts')));
};
