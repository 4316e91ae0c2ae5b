import { z } from 'zod';
import { chunkSources, passageChoices } from '../../expansion/index.js';
import { documentCharacters, queryCharacters } from '../limits.js';

/** A query: at least one character that is not white space. */
export const queryText = z
  .string()
  .max(queryCharacters)
  .refine((text) => text.trim() !== '', { error: 'must not be empty' })
  .describe('What is searched for. Not empty.');

/** A document. It may be empty: without words it is relevant to nothing and gets the score 0. */
export const documentText = z.string().max(documentCharacters);

/** The name of a variant. */
export const modelName = z
  .string()
  .max(200)
  .describe('One of the names in `GET /variants`; the default variant where it is left out.');

/** The name of a model in the formats of other services. */
export const clientModelName = z
  .string()
  .max(200)
  .describe(
    'One of the names in `GET /variants`. Any other is served by the default variant, unless it begins with ' +
      '`bert-qe-` or the server is started with `--strict-models`.',
  );

const count = (most: number) => z.int().min(1).max(most);
const share = z.number().min(0).max(1);

const parameters = {
  alpha: share,
  beta: share,
  kd: count(1000),
  kc: count(100),
  chunkWords: count(100),
  passageWords: count(1000),
  passageChoice: z.enum(passageChoices),
  phaseOneDepth: count(10_000),
  expansionDepth: count(10_000),
  chunkSource: z.enum(chunkSources),
};

/** The parameters that a search ran with. */
export const methodSettings = z.object(parameters).partial({ phaseOneDepth: true, expansionDepth: true });

/** The parameters of the method that a request may set. The server's apply to those left out. */
export const methodFields = {
  alpha: parameters.alpha.optional().describe('Eq. 5: the share of rel(C,d) against rel(q,d).'),
  beta: parameters.beta.optional().describe('The share of ln M against the initial score.'),
  kd: parameters.kd.optional().describe('Feedback documents of phase two.'),
  kc: parameters.kc.optional().describe('Chunks kept for phase three.'),
  chunkWords: parameters.chunkWords.optional().describe('m, the words of a chunk.'),
  passageWords: parameters.passageWords.optional().describe('Words of a passage.'),
  passageChoice: parameters.passageChoice
    .optional()
    .describe(
      'The way to the best passages: by words and the smallest model, or all by the model of phase one.',
    ),
  phaseOneDepth: parameters.phaseOneDepth
    .optional()
    .describe('Documents that phase one reads; the others follow them by their likeliest passages.'),
  expansionDepth: parameters.expansionDepth
    .optional()
    .describe('Documents that phase three reads; the others follow them without expansion.'),
  chunkSource: parameters.chunkSource.optional().describe('Where phase two cuts its chunks from.'),
};
