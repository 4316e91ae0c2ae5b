import { check, jsonAnswer } from '../http/index.js';
import { rerankTei, rerankV1, rerankV2 } from '../rerank/index.js';
import { cohereV2Request, teiRequest, v1Request } from '../schemas/index.js';
import type { Handler } from './handler.js';

export const answerRerankV2: Handler = async (service, context, body) =>
  jsonAnswer(await rerankV2(service, context, check(cohereV2Request, body)));

export const answerRerankV1: Handler = async (service, context, body) =>
  jsonAnswer(await rerankV1(service, context, check(v1Request, body)));

/** The field `texts` tells TEI from Cohere v1. Checked against one schema, a wrong field is named. */
export const answerRerank: Handler = async (service, context, body) => {
  const isTei = typeof body === 'object' && body !== null && 'texts' in body;
  if (!isTei) return answerRerankV1(service, context, body);
  return jsonAnswer(await rerankTei(service, context, check(teiRequest, body)));
};
