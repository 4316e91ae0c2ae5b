import { z } from 'zod';

/** The kinds of problem with their statuses; 499 is for the log only, as the client no longer reads the answer. */
export const problemStatus = {
  invalid_json: 400,
  invalid_request: 422,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_large: 413,
  unsupported_media_type: 415,
  overloaded: 429,
  draining: 503,
  deadline: 504,
  cancelled: 499,
  failure: 500,
} as const;

export type ProblemType = keyof typeof problemStatus;

/** The body of every error, under the names that clients of Cohere, TEI, Jina and Voyage look for. */
export const problem = z.object({
  message: z.string(),
  error: z.string().describe('The same text; TEI.'),
  detail: z.string().describe('The same text; Jina, Voyage.'),
  error_type: z.enum(Object.keys(problemStatus) as ProblemType[]),
  request_id: z.string(),
});

export type Problem = z.output<typeof problem>;
