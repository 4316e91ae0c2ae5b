import { z } from 'zod';

/** Characters of a query: more cannot be meant, a model reads some 126 word pieces of it. */
export const longestQuery = 20_000;

/** Characters of one document; longer ones are books, and passages of them are what a client should send. */
export const longestDocument = 2_000_000;

/** A text that says what is wanted: at least one character that is not white space. */
export const queryText = z
  .string()
  .max(longestQuery)
  .refine((text) => text.trim() !== '', { error: 'must not be empty' })
  .describe('What is searched for. Not empty.');

/** May be empty: a document without words is relevant to nothing and gets the score 0. */
export const documentText = z.string().max(longestDocument);

/** Names what a request is, so that a mistake in a client shows: a misspelt field is an error, not ignored. */
export const modelName = z
  .string()
  .max(200)
  .describe('One of the names in `GET /variants`; the default variant where it is left out.');
