import { z } from 'zod';

const query = z
  .string()
  .max(10_000)
  .refine((text) => text.trim() !== '', { error: 'must not be empty' })
  .describe('What is searched for: a question or some words.');

const text = z.string().max(1_000_000);

/** The most documents that a call may send. */
export const mostDocuments = 1000;

const documents = z
  .array(
    z.union([
      text,
      z.strictObject({
        id: z.string().max(1000).optional().describe('Its place in the list, from 0, where it is left out.'),
        title: z.string().max(10_000).optional(),
        text,
      }),
    ]),
  )
  .min(1)
  .max(mostDocuments);

const rank = z.int().min(1);

const result = {
  rank,
  id: z.string(),
  title: z.string().optional(),
  relevance: z.number().nullable().describe('A probability; null where no model looked.'),
  initialRank: rank.describe('The rank before re-ranking.'),
  passage: z.string().nullable().describe('The most relevant passage, with the title in front.'),
};

export const searchInput = z.strictObject({
  query,
  limit: z.int().min(1).max(100).default(10).describe('How many documents to return.'),
  fullText: z.boolean().default(false).describe('Adds the whole text of every document.'),
});

export const searchOutput = z.object({
  query: z.string(),
  results: z.array(z.object({ ...result, text: z.string().optional() })).describe('Best first.'),
});

export const rerankInput = z.strictObject({
  query,
  documents: documents.describe('The texts to put in order.'),
  limit: z.int().min(1).optional().describe('How many of the best to return (all).'),
});

export const rerankOutput = z.object({
  query: z.string(),
  results: z
    .array(z.object({ ...result, index: z.int().describe('Its place in the request, from 0.') }))
    .describe('Best first.'),
});

const score = z.number().nullable();

export const explainInput = z.strictObject({
  query,
  id: z.string().max(1000).describe('The document whose rank is explained: an id from an answer.'),
  documents: documents
    .optional()
    .describe('The texts that were re-ranked; without them, the index is searched.'),
});

export const explainOutput = z.object({
  query: z.string(),
  id: z.string(),
  documents: z.int().describe('How many were ranked.'),
  ranks: z
    .object({ initial: rank, phaseOne: rank.nullable(), final: rank })
    .describe('Before re-ranking, by the query alone, and at the end.'),
  scores: z.object({
    initial: score.describe('I(q,d), of the first stage; null where there is none.'),
    query: score.describe('rel(q,d): relevance to the query.'),
    expansion: score.describe('rel(C,d): relevance to the chunks, by their weights.'),
    combined: score.describe('M(q,d) = (1-α)·rel(q,d) + α·rel(C,d).'),
    final: z.number().describe('β·ln M + (1-β)·I; the order is by this.'),
  }),
  alpha: z.number(),
  beta: z.number(),
  passage: z.string().nullable().describe('The passage of the document that was scored.'),
  chunks: z
    .array(
      z.object({
        text: z.string(),
        document: z.string().describe('The document that it was cut from.'),
        weight: z.number(),
        queryScore: z.number().describe('rel(q,c): its relevance to the query.'),
        documentScore: score.describe('rel(c,d): the relevance of the explained document to it.'),
      }),
    )
    .describe('The excerpts of the best documents that the query was expanded with.'),
});

export type SearchOutput = z.output<typeof searchOutput>;
export type RerankOutput = z.output<typeof rerankOutput>;
export type ExplainOutput = z.output<typeof explainOutput>;
export type GivenDocuments = z.output<typeof documents>;
