import { z } from 'zod';
import { chunkSources, passageChoices } from '../../expansion/index.js';

const count = (most: number) => z.int().min(1).max(most);
const share = z.number().min(0).max(1);

/** The parameters of the method that a request may set. The server's apply to those left out. */
export const methodFields = {
  alpha: share.optional().describe('Eq. 5: the share of rel(C,d) against rel(q,d).'),
  beta: share.optional().describe('The share of ln M against the initial score.'),
  kd: count(1000).optional().describe('Feedback documents of phase two.'),
  kc: count(100).optional().describe('Chunks kept for phase three.'),
  chunkWords: count(100).optional().describe('m, the words of a chunk.'),
  passageWords: count(1000).optional().describe('Words of a passage.'),
  passageChoice: z
    .enum(passageChoices)
    .optional()
    .describe(
      'The way to the best passages: by words and the smallest model, or all by the model of phase one.',
    ),
  phaseOneDepth: count(10_000)
    .optional()
    .describe('Documents that phase one reads; the others follow them by their likeliest passages.'),
  expansionDepth: count(10_000)
    .optional()
    .describe('Documents that phase three reads; the others follow them without expansion.'),
  chunkSource: z.enum(chunkSources).optional().describe('Where phase two cuts its chunks from.'),
};

/** The parameters that a search ran with. */
export const methodSettings = z.object({
  alpha: share,
  beta: share,
  kd: count(1000),
  kc: count(100),
  chunkWords: count(100),
  passageWords: count(1000),
  passageChoice: z.enum(passageChoices),
  phaseOneDepth: count(10_000).optional(),
  expansionDepth: count(10_000).optional(),
  chunkSource: z.enum(chunkSources),
});
