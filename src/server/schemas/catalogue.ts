import { z } from 'zod';
import { eachPhase } from '../../expansion/index.js';
import { methodSettings } from './fields.js';

const phaseModel = z.object({
  model: z.string().describe('Letter or name of the model.'),
  layers: z.int().optional(),
  hidden: z.int().optional(),
  precision: z.string(),
  device: z.string(),
  flopsPerToken: z.number().optional().describe('Floating-point operations per token, without attention.'),
});

const perPhase = <T extends z.ZodType>(value: T) =>
  z.object({ bestPassage: value, phaseOne: value, phaseTwo: value.optional(), phaseThree: value.optional() });

export const variant = z.object({
  id: z.string().describe('What to send as `model`, e.g. `bert-qe-SST`.'),
  name: z.string().describe('As the paper writes it, e.g. `BERT-QE-SST`.'),
  aliases: z.array(z.string()).describe('Other names that requests may use.'),
  expansion: z.boolean().describe('False: the query alone (MaxP), phases two and three do not run.'),
  models: perPhase(phaseModel),
  paper: z
    .object({
      flops: z.number(),
      relative: z.number().describe('Times BERT-Large on 1000 documents.'),
      phaseOne: z.number(),
      phaseTwo: z.number().optional(),
      phaseThree: z.number().optional(),
    })
    .optional()
    .describe("FLOPs of a query counted as the paper does; where the models are of the paper's sizes."),
  measured: z
    .object({
      searches: z.int().describe('How many of the latest searches this is the mean of.'),
      flops: z.number(),
      documents: z.number().describe('Documents re-ranked.'),
      milliseconds: z.object({ total: z.number(), ...eachPhase(() => z.number()) }),
    })
    .optional()
    .describe('What searches with it took on this server since it was started.'),
});

export const variantsAnswer = z.object({
  default: z.string().describe('Id of the variant that is used where a request names none.'),
  variants: z.array(variant),
  settings: methodSettings.describe('The parameters that hold where a request sets none.'),
});

export const listedModel = z.object({
  id: z.string().describe('What to send as `model`.'),
  object: z.literal('model'),
  created: z.int().describe('When the server loaded it, in seconds since 1970.'),
  owned_by: z.literal('bert-qe'),
  root: z.string().describe('Id of the variant in `GET /variants` that has this name.'),
  name: z.string().describe('Cohere: the id again.'),
  endpoints: z.array(z.literal('rerank')),
  finetuned: z.literal(false),
});

export const modelsAnswer = z.object({
  object: z.literal('list'),
  data: z.array(listedModel).describe('OpenAI: every variant, and every further name that it was given.'),
  models: z.array(listedModel).describe('Cohere: the same.'),
});

export const infoAnswer = z.object({
  name: z.literal('bert-qe'),
  version: z.string(),
  model: z.string().describe('Id of the default variant.'),
  model_id: z.string().describe('TEI: the same.'),
  model_type: z
    .object({
      reranker: z.object({
        id2label: z.record(z.string(), z.string()),
        label2id: z.record(z.string(), z.int()),
      }),
    })
    .describe('TEI: what the model is for.'),
  collection: z
    .object({
      documents: z.int(),
      terms: z.int().describe('Words of the collection, counted with repetition.'),
      firstStage: z.string().describe('What makes the initial ranking, e.g. `DPH+KL`.'),
      depth: z.int().describe('Documents re-ranked where a search does not say.'),
    })
    .nullable()
    .describe('Null where the server was started without an index: it re-ranks what it is sent.'),
  queries: z.int().describe('Loaded queries, see `GET /queries`.'),
  judged: z.int().describe('How many of them have judgements.'),
  experiments: z.int(),
  limits: z.object({
    bodyBytes: z.int(),
    documents: z.int(),
    values: z.int(),
    pairs: z.int(),
    requestTokens: z.int(),
    queueTokens: z.int(),
    deadlineMs: z.number(),
  }),
});

export const queriesAnswer = z.object({
  queries: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      relevant: z.int().nullable().describe('Documents judged relevant; null where nothing is judged.'),
    }),
  ),
});

export const documentAnswer = z.object({ id: z.string(), title: z.string().optional(), text: z.string() });

export const experimentsAnswer = z.object({
  experiments: z.array(
    z.object({
      name: z.string().describe('Name of its folder.'),
      title: z.string(),
      finished: z.string().describe('When its report was written, ISO 8601.'),
      report: z.string().describe('Path of its page on this server.'),
    }),
  ),
});

export const healthAnswer = z.object({
  status: z.enum(['ok', 'failing']),
  score: z.number().optional().describe('What the default variant gave a fixed pair just now.'),
  milliseconds: z.number(),
});

export const readyAnswer = z.object({ status: z.enum(['ready', 'draining']) });

export type VariantDescription = z.output<typeof variant>;
export type VariantsAnswer = z.output<typeof variantsAnswer>;
export type ListedModel = z.output<typeof listedModel>;
export type ModelsAnswer = z.output<typeof modelsAnswer>;
export type QueriesAnswer = z.output<typeof queriesAnswer>;
export type InfoAnswer = z.output<typeof infoAnswer>;
export type ExperimentsAnswer = z.output<typeof experimentsAnswer>;
