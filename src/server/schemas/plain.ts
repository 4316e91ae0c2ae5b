import type { TeiRequest } from './rerank.js';
import { longestDocument, longestQuery } from './texts.js';

/**
 * Whether a body is nothing but a query and texts, and good, as most requests of TEI are. The schema would say the same,
 * but looks at every text as if it could be anything; whatever is not so plain is left to it.
 */
export function isPlainTei(body: object): body is TeiRequest {
  const { query, texts } = body as Partial<Record<string, unknown>>;
  if (Object.keys(body).length !== 2 || typeof query !== 'string' || !Array.isArray(texts)) return false;
  const isAsked = query.length <= longestQuery && query.trim() !== '';
  return isAsked && texts.every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= longestDocument;
}
