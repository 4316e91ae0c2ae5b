import { z } from 'zod';
import { eachPhase, phases } from '../../expansion/index.js';
import { explanation } from './explanation.js';
import { problem } from './problem.js';
import { documentText, methodFields, methodSettings, modelName, queryText } from './fields.js';

const milliseconds = z.number().min(0);

/** A document of the request, not of the index. */
const pastedDocument = z.strictObject({
  id: z.string().max(1000).optional().describe('Its place in the request, from 0, where it is left out.'),
  title: z.string().max(10_000).optional(),
  text: documentText,
  score: z.number().optional().describe('Its score in your own first ranking: on all documents or on none.'),
});

export const searchRequest = z.strictObject({
  query: queryText,
  queryId: z
    .string()
    .max(1000)
    .optional()
    .describe('Names the query in the judgements; without it, a loaded query of the same text is meant.'),
  documents: z
    .array(z.union([documentText, pastedDocument]))
    .optional()
    .describe('Re-ranks these instead of searching the loaded index.'),
  model: modelName.optional(),
  depth: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe(
      'How many documents of the initial ranking are re-ranked, and returned (100, or as the server was started).',
    ),
  topK: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Only the first so many places; pairs that cannot change them are not scored. Leave it out to re-combine.',
    ),
  explain: z.boolean().optional().describe('Adds an `explanation` (false).'),
  texts: z.boolean().optional().describe('Adds title and text to every result (false).'),
  deadline: milliseconds
    .optional()
    .describe('After so many milliseconds the best order known so far is returned, and `complete` is false.'),
  ...methodFields,
});

export const searchResult = z.object({
  id: z.string(),
  rank: z.int(),
  score: z.number().describe('The final score, comparable within one query only.'),
  relevance: z.number().optional().describe('M(q,d), a probability; absent where no model looked.'),
  certain: z.boolean().describe('False where a deadline left scores unknown that could move the document.'),
  initialRank: z.int().describe('Its place before re-ranking, from 1.'),
  initialScore: z.number().nullable().describe('I(q,d); null where there is none.'),
  level: z.int().optional().describe('Its relevance level, where it is judged; 0 is judged not relevant.'),
  title: z.string().optional(),
  text: z.string().optional(),
});

const phaseCost = z.object({
  pairs: z.int().describe('Pairs put to the model.'),
  exhaustivePairs: z
    .int()
    .describe('Pairs that would be put to it without exact top-k and without a deadline.'),
  seconds: z.number().describe('Time in which the phase waited for the model.'),
  tokens: z.int().describe('Tokens of those pairs, without padding.'),
  flops: z.number().describe('Floating-point operations of their matrix products.'),
});

/** The cost of a request, in all (`seconds` from start to end) and by phase. */
const requestCost = phaseCost.extend(eachPhase(() => phaseCost));

/** Values by measure. */
const measures = z.record(z.string(), z.number());

export const judgements = z.object({
  queryId: z.string(),
  levels: z.record(z.string(), z.int()).describe('Document id → relevance level, for all judged documents.'),
  relevant: z.int().describe('How many documents of the collection are judged relevant.'),
  measures: z
    .object({ initial: measures, phase1: measures.nullable(), final: measures })
    .describe(
      'Of the three rankings of the returned documents; `phase1` (by rel(q,d) alone) only with `explain`.',
    ),
});

export const searchAnswer = z.object({
  id: z.string().describe('The request id.'),
  query: z.string(),
  model: z.string().describe('The variant that ran.'),
  firstStage: z
    .string()
    .nullable()
    .describe('What made the initial ranking, e.g. `DPH+KL`; null for your documents.'),
  settings: methodSettings,
  results: z.array(searchResult).describe('Best first.'),
  complete: z.boolean().describe('Whether every place is what unlimited time would give.'),
  explanation: explanation.optional(),
  judgements: judgements.optional().describe('Where judgements are loaded and know the query.'),
  cost: requestCost,
  milliseconds: z
    .object({
      retrieval: milliseconds,
      queue: milliseconds.describe('From admission to the first batch.'),
      rerank: milliseconds.describe('All phases together.'),
      total: milliseconds,
    })
    .describe('Milliseconds per phase are in `cost`, as seconds.'),
});

/** The events of a streamed search, by name. */
export const searchEvents = {
  initial: z
    .object({
      firstStage: z.string().nullable(),
      results: z.array(searchResult.omit({ rank: true, score: true, relevance: true, certain: true })),
    })
    .describe('The initial ranking, as soon as it is there.'),
  progress: z
    .object({
      phase: z.enum(phases),
      pairs: z.int().describe('Pairs that the phase has run so far.'),
      total: z.int().describe('Pairs that it is known to run.'),
    })
    .describe('At most twenty a second, and one when a phase begins.'),
  result: searchAnswer.describe('The answer, as without streaming; the last event.'),
  error: problem.describe('Instead of `result`.'),
};

export type SearchRequest = z.output<typeof searchRequest>;
export type SearchAnswer = z.output<typeof searchAnswer>;
export type SearchResult = z.output<typeof searchResult>;
export type Judgements = z.output<typeof judgements>;
export type SearchProgress = z.output<typeof searchEvents.progress>;
/** The data of each event. */
export type SearchEvents = { [Name in keyof typeof searchEvents]: z.output<(typeof searchEvents)[Name]> };
