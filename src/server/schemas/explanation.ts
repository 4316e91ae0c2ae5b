import { z } from 'zod';

const probability = z.number().min(0).max(1);

/** A chunk that the query was expanded with. */
const explainedChunk = z.object({
  text: z.string(),
  document: z.string().describe('Id of the feedback document it was cut from.'),
  start: z
    .int()
    .describe(
      "Its first word, counted from 0 in that document's `passage` (in its whole text for `document`).",
    ),
  words: z.int().describe('How many words it has.'),
  score: probability.describe('Eq. 3: rel(q,c).'),
  weight: probability.describe('Its share in Eq. 4; the weights add up to 1.'),
});

/** The scores and ranks of a document. Null stands for what a deadline left unknown, or what does not exist. */
const explainedDocument = z.object({
  id: z.string(),
  passage: z
    .string()
    .nullable()
    .describe('The best passage, its words joined by single spaces, title in front.'),
  passageAt: z
    .object({
      titleWords: z.int().describe('Words of the title that stand in front of the passage.'),
      start: z.int().describe("The passage's first word in the document's text, from 0."),
      end: z.int().describe('The word after its last one.'),
    })
    .nullable()
    .describe('Where in the document the passage lies.'),
  queryScore: probability.nullable().describe('Eq. 2: rel(q,d).'),
  chunkScores: z.array(probability.nullable()).describe('rel(c,d), in the order of the chunks.'),
  expansionScore: probability
    .nullable()
    .describe('Eq. 4: rel(C,d) = Σ weight·rel(c,d); null without chunks.'),
  combined: probability.nullable().describe('Eq. 5: M(q,d) = (1-α)·rel(q,d) + α·rel(C,d).'),
  initial: z
    .number()
    .nullable()
    .describe('I(q,d), the score of the initial ranking; null where there is none.'),
  final: z.number().describe('β·ln M + (1-β)·I; ln M where there is no initial score.'),
  ranks: z
    .object({ initial: z.int(), phase1: z.int().nullable(), final: z.int() })
    .describe('Places from 1: in the initial ranking, by rel(q,d) alone, and at the end.'),
});

export const explanation = z
  .object({
    chunks: z.array(explainedChunk).describe('Best first; empty for variants without expansion.'),
    documents: z.array(explainedDocument).describe('The documents that were re-ranked, best first.'),
  })
  .describe('Everything that α and β combine, so that a client can re-combine it without asking again.');
