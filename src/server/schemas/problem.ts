import { z } from 'zod';

/** The body of every error, under the names that clients of Cohere, TEI, Jina and Voyage look for. */
export const problem = z.object({
  message: z.string(),
  error: z.string().describe('The same text; TEI.'),
  detail: z.string().describe('The same text; Jina, Voyage.'),
  error_type: z.enum([
    'invalid_json',
    'invalid_request',
    'unauthorized',
    'forbidden',
    'not_found',
    'method_not_allowed',
    'too_large',
    'unsupported_media_type',
    'overloaded',
    'draining',
    'deadline',
    'cancelled',
    'failure',
  ]),
  request_id: z.string(),
});

export type Problem = z.output<typeof problem>;
export type ProblemType = Problem['error_type'];
