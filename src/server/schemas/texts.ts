import { z } from 'zod';
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
