import type { z } from 'zod';
import { omitUndefined } from '../../common/omit-undefined.js';
import { mapInSlices } from '../../common/yield.js';
import { settingsFrom } from '../../expansion/index.js';
import type { ServedVariant } from '../catalogue/index.js';
import type { Service } from '../service.js';
import { HttpProblem, type RequestContext } from '../http/index.js';
import type {
  CohereV2Request,
  cohereV2Answer,
  TeiRequest,
  teiAnswer,
  V1Request,
  v1Answer,
} from '../schemas/index.js';
import { cutToPassages, cutToTokens, textOf } from './documents.js';
import { rankTexts, type RankedTexts } from './rank-texts.js';

/** Cohere counts a search of up to a hundred documents as one unit. */
const documentsPerUnit = 100;

export async function rerankV2(
  service: Service,
  context: RequestContext,
  body: CohereV2Request,
): Promise<z.input<typeof cohereV2Answer>> {
  const variant = service.models.findForClient(body.model);
  const { documents } = body;
  const ranked = await rankTexts(service, context, {
    query: body.query,
    documents: await cutTexts(documents, body.max_tokens_per_doc, variant, context.signal),
    variant,
    method: body.method && omitUndefined(body.method),
    topK: body.top_n,
    keepOdds: body.raw_scores,
    explain: body.explain,
  });
  return {
    id: context.id,
    model: variant.id,
    results: results(ranked, body.return_documents && ((index) => ({ text: documents[index] }))),
    meta: meta('2', documents.length, ranked.tokens),
    ...explained(ranked),
  };
}

export async function rerankV1(
  service: Service,
  context: RequestContext,
  body: V1Request,
): Promise<z.input<typeof v1Answer>> {
  const { top_n, top_k, rank_fields, max_chunks_per_doc, return_documents } = body;
  if (top_n !== undefined && top_k !== undefined) {
    throw new HttpProblem('invalid_request', 'top_n and top_k mean the same; give one of them.');
  }
  const variant = service.models.findForClient(body.model);
  const method = body.method && omitUndefined(body.method);
  const { passage } = settingsFrom(service.methodDefaults.with(method, variant.expansion));
  const { signal } = context;
  const fields = rank_fields && [...new Set(rank_fields)];
  const originals = await mapInSlices(body.documents, signal, (document, index) =>
    textOf(document, index, fields),
  );
  const beginnings =
    max_chunks_per_doc === undefined
      ? originals
      : await mapInSlices(originals, signal, (text) => cutToPassages(text, max_chunks_per_doc, passage));
  const ranked = await rankTexts(service, context, {
    query: typeof body.query === 'string' ? body.query : body.query.text,
    documents: await cutTexts(beginnings, body.max_tokens_per_doc, variant, signal),
    variant,
    method,
    topK: top_n ?? top_k,
    keepOdds: body.raw_scores,
    explain: body.explain,
  });
  const isVoyage = top_k !== undefined;
  const isCohere = !isVoyage && [top_n, rank_fields, max_chunks_per_doc].some((field) => field !== undefined);
  return {
    id: context.id,
    object: 'list',
    // Jina and Voyage answer with the name that was sent.
    model: body.model ?? variant.id,
    ...(!isVoyage && {
      results: results(ranked, return_documents && ((index) => ({ text: originals[index] }))),
    }),
    ...(!isCohere && { data: results(ranked, return_documents && ((index) => originals[index])) }),
    // Together's clients want all three.
    usage: { total_tokens: ranked.tokens, prompt_tokens: ranked.tokens, completion_tokens: 0 },
    meta: meta('1', body.documents.length, ranked.tokens),
    ...explained(ranked),
  };
}

export async function rerankTei(
  service: Service,
  context: RequestContext,
  { query, texts, model, raw_scores: keepOdds, return_text: isShown }: TeiRequest,
): Promise<z.input<typeof teiAnswer>> {
  const variant = service.models.findForClient(model);
  const { places } = await rankTexts(service, context, { query, documents: texts, variant, keepOdds });
  return places.map((place) => (isShown ? { ...place, text: texts[place.index] } : place));
}

/** The texts without what goes beyond so many tokens of phase one's model. */
async function cutTexts(
  texts: readonly string[],
  tokens: number | undefined,
  { models }: ServedVariant,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (tokens === undefined) return texts;
  const { scorer } = models.phaseOne;
  return mapInSlices(texts, signal, (text, _, slice) => cutToTokens(text, tokens, scorer, slice));
}

/** The ranking, with the documents as the format shows them where they are wanted. */
function results<Shown>({ places }: RankedTexts, documentOf: ((index: number) => Shown) | false | undefined) {
  return places.map(({ index, score }) => ({
    index,
    relevance_score: score,
    ...(documentOf && { document: documentOf(index) }),
  }));
}

function meta(version: string, documents: number, tokens: number) {
  return {
    api_version: { version },
    billed_units: { search_units: Math.ceil(documents / documentsPerUnit) },
    tokens: { input_tokens: tokens, output_tokens: 0 },
  };
}

function explained({ explanation }: RankedTexts) {
  return explanation ? { explanation } : {};
}
