import { z } from 'zod';
import { explanation } from './explanation.js';
import { rankFields } from '../limits.js';
import { clientModelName, documentText, methodFields, queryText } from './fields.js';

/** An optional field. Some clients send null for a field that they leave out. */
function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

const placeCount = z.int().min(1);

/** Fields that every format has beyond those of its origin. */
const extensions = {
  raw_scores: optional(z.boolean()).describe(
    'Log-odds instead of probabilities: they still tell documents apart where probabilities round to 1.',
  ),
  explain: optional(z.boolean()).describe('Adds an `explanation` to the answer.'),
  method: optional(z.strictObject(methodFields)).describe(
    'Parameters of BERT-QE, for variants that expand the query.',
  ),
};

/** The request of Cohere v2. */
export const cohereV2Request = z.object({
  model: optional(clientModelName),
  query: queryText,
  documents: z
    .array(documentText)
    .describe('The server splits them into batches; `GET /info` tells how many it takes.'),
  top_n: optional(placeCount).describe(
    'Only the best so many; pairs that cannot change them are not scored.',
  ),
  max_tokens_per_doc: optional(placeCount).describe(
    'What of a document goes beyond so many tokens is not read.',
  ),
  priority: optional(z.int().min(0).max(999)).describe(
    'Accepted for compatibility; clients share the server fairly.',
  ),
  return_documents: optional(z.boolean()).describe('Adds `document.text` to every result.'),
  ...extensions,
});

const documentObject = z
  .record(z.string(), z.unknown())
  .describe('An object with a `text`, or any fields: they are read as lines of `name: value`.');

/** The request of Cohere v1, Jina and Voyage, which differ in names only. */
export const v1Request = z.object({
  model: optional(clientModelName),
  query: z
    .union([queryText, z.object({ text: queryText })])
    .describe('A text, or (Jina) an object with one.'),
  documents: z
    .array(z.union([documentText, documentObject]))
    .describe('Texts, or objects with a text or fields.'),
  top_n: optional(placeCount).describe('Cohere, Jina: only the best so many.'),
  top_k: optional(placeCount).describe('Voyage: only the best so many.'),
  rank_fields: optional(z.array(z.string()).max(rankFields)).describe(
    'Cohere: the fields of documents that are objects to read.',
  ),
  return_documents: optional(z.boolean()).describe('Adds the document to every result.'),
  max_chunks_per_doc: optional(placeCount).describe(
    'Cohere: passages of a document that are looked at, from its beginning.',
  ),
  max_tokens_per_doc: optional(placeCount).describe('As in Cohere v2.'),
  truncation: optional(z.boolean()).describe(
    'Jina, Voyage: accepted. Long documents are read passage by passage, so none has to be cut.',
  ),
  ...extensions,
});

/** The request of TEI (Hugging Face Text Embeddings Inference). */
export const teiRequest = z.object({
  query: queryText,
  texts: z
    .array(documentText)
    .describe('The server splits them into batches; `GET /info` tells how many it takes.'),
  raw_scores: extensions.raw_scores,
  return_text: optional(z.boolean()).describe('Adds `text` to every result.'),
  truncate: optional(z.boolean()).describe(
    'Accepted. Long texts are read passage by passage, so none has to be cut.',
  ),
  truncation_direction: optional(z.enum(['left', 'right', 'Left', 'Right'])).describe(
    'Accepted, for the same reason.',
  ),
  model: optional(clientModelName),
});

/** The request of `/rerank`: TEI if it has `texts`, else Cohere v1. */
export const anyRerankRequest = z.union([teiRequest, v1Request]);

const result = z.object({
  index: z.int().describe("The document's place in the request, from 0."),
  relevance_score: z.number().describe('Between 0 and 1; with `raw_scores` any number.'),
});

const withText = result.extend({ document: z.looseObject({ text: z.string() }).optional() });

const tokens = z.int().min(0);

export const cohereV2Answer = z.object({
  id: z.string(),
  results: z.array(withText).describe('Best first.'),
  meta: z.object({
    api_version: z.object({ version: z.string() }),
    billed_units: z.object({ search_units: z.int() }),
    tokens: z.object({ input_tokens: tokens, output_tokens: tokens }),
  }),
  model: z.string().describe('The variant that ran.'),
  explanation: explanation.optional(),
});

export const v1Answer = z.object({
  id: z.string(),
  object: z.literal('list'),
  model: z.string().describe('The name that was sent; without one, the default variant.'),
  results: z.array(withText).optional().describe('Cohere, Jina: best first; absent where `top_k` was given.'),
  data: z
    .array(result.extend({ document: z.string().optional() }))
    .optional()
    .describe('Voyage: best first; absent where a field of Cohere was given.'),
  usage: z.object({ total_tokens: tokens, prompt_tokens: tokens, completion_tokens: tokens }),
  meta: cohereV2Answer.shape.meta,
  explanation: explanation.optional(),
});

export const teiAnswer = z
  .array(z.object({ index: z.int(), score: z.number(), text: z.string().optional() }))
  .describe('Best first.');

export const anyRerankAnswer = z.union([teiAnswer, v1Answer]);

export type CohereV2Request = z.output<typeof cohereV2Request>;
export type V1Request = z.output<typeof v1Request>;
export type TeiRequest = z.output<typeof teiRequest>;
