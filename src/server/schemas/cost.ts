import { z } from 'zod';

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
export const requestCost = phaseCost.extend({
  bestPassage: phaseCost,
  phaseOne: phaseCost,
  phaseTwo: phaseCost,
  phaseThree: phaseCost,
});
