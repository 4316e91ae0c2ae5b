import type { z } from 'zod';
import { omitUndefined } from '../../common/omit-undefined.js';
import { mapInSlices } from '../../common/yield.js';
import { settingsFrom } from '../../expansion/index.js';
import { clientVariantOf, type Service } from '../service.js';
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
  const variant = clientVariantOf(service, body.model);
  const { max_tokens_per_doc: most } = body;
  const { scorer } = variant.models.phaseOne;
  const texts =
    most === undefined
      ? body.documents
      : await mapInSlices(body.documents, context.signal, (text, _, slice) =>
          cutToTokens(text, most, scorer, slice),
        );
  const ranked = await rankTexts(service, context, {
    query: body.query,
    texts,
    variant,
    method: body.method && omitUndefined(body.method),
    topN: body.top_n,
    raw: body.raw_scores ?? false,
    explain: body.explain ?? false,
  });
  return {
    id: context.id,
    model: variant.id,
    results: results(ranked, body.return_documents ? (index) => body.documents[index] : undefined),
    meta: meta('2', body.documents.length, ranked.tokens),
    ...explained(ranked),
  };
}

export async function rerankV1(
  service: Service,
  context: RequestContext,
  body: V1Request,
): Promise<z.input<typeof v1Answer>> {
  if (body.top_n !== undefined && body.top_k !== undefined) {
    throw new HttpProblem(422, 'invalid_request', 'top_n and top_k mean the same; give one of them.');
  }
  const variant = clientVariantOf(service, body.model);
  const method = body.method && omitUndefined(body.method);
  const { passage } = settingsFrom(service.methodDefaults.with(method, variant.expansion));
  const { signal } = context;
  const { max_tokens_per_doc: tokens, max_chunks_per_doc: passages } = body;
  const fields = body.rank_fields && [...new Set(body.rank_fields)];
  const originals = await mapInSlices(body.documents, signal, (document, index) =>
    textOf(document, index, fields),
  );
  const { scorer } = variant.models.phaseOne;
  const isWhole = tokens === undefined && passages === undefined;
  const texts = isWhole
    ? originals
    : await mapInSlices(originals, signal, (original, _, slice) => {
        const { length, overlap } = passage;
        const text = passages === undefined ? original : cutToPassages(original, passages, length, overlap);
        return tokens === undefined ? text : cutToTokens(text, tokens, scorer, slice);
      });
  const ranked = await rankTexts(service, context, {
    query: typeof body.query === 'string' ? body.query : body.query.text,
    texts,
    variant,
    method,
    topN: body.top_n ?? body.top_k,
    raw: body.raw_scores ?? false,
    explain: body.explain ?? false,
  });
  const shown = body.return_documents ? (index: number) => originals[index] : undefined;
  const isVoyage = body.top_k !== undefined;
  const isCohere = [body.top_n, body.rank_fields, body.max_chunks_per_doc].some(
    (field) => field !== undefined,
  );
  return {
    id: context.id,
    object: 'list',
    // Jina and Voyage answer with the name that was sent.
    model: body.model ?? variant.id,
    ...(isVoyage ? {} : { results: results(ranked, shown) }),
    ...(isCohere && !isVoyage ? {} : { data: data(ranked, shown) }),
    // Together's clients want all three.
    usage: { total_tokens: ranked.tokens, prompt_tokens: ranked.tokens, completion_tokens: 0 },
    meta: meta('1', body.documents.length, ranked.tokens),
    ...explained(ranked),
  };
}

export async function rerankTei(
  service: Service,
  context: RequestContext,
  body: TeiRequest,
): Promise<z.input<typeof teiAnswer>> {
  const { places } = await rankTexts(service, context, {
    query: body.query,
    texts: body.texts,
    variant: clientVariantOf(service, body.model),
    method: undefined,
    topN: undefined,
    raw: body.raw_scores ?? false,
    explain: false,
  });
  return places.map((place) => (body.return_text ? { ...place, text: body.texts[place.index] } : place));
}

type Shown = ((index: number) => string) | undefined;

function results({ places }: RankedTexts, shown: Shown) {
  return places.map(({ index, score }) => ({
    index,
    relevance_score: score,
    ...(shown ? { document: { text: shown(index) } } : {}),
  }));
}

function data({ places }: RankedTexts, shown: Shown) {
  return places.map(({ index, score }) => ({
    index,
    relevance_score: score,
    ...(shown ? { document: shown(index) } : {}),
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
