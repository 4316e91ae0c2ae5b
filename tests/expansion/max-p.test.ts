import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BertQE } from '../../src/expansion/index.js';
import { FakeScorer, fakeModel, spreads } from './fake-scorer.js';

/** Words of all kinds of letters, and what may stand between them. */
const text = fc
  .array(fc.constantFrom('a', 'sea', 'wave', 'héron', '水', ' ', '\t', '\u00a0', '\u3000', '\u0007'), {
    maxLength: 14,
  })
  .map((words) => words.join(' '));

/** An answer without its times; numbers to the last bit. */
const withoutSeconds = (found: object): unknown =>
  JSON.parse(JSON.stringify(found, (key, value: unknown) => (key === 'seconds' ? 0 : value)));

test('without expansion, an explanation changes neither places nor scores nor costs', async () => {
  const documents = fc.array(
    fc.oneof(text, fc.record({ id: fc.string({ maxLength: 2 }), text }), fc.record({ text })),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(documents, fc.nat(99), fc.constantFrom(...spreads), async (docs, seed, spread) => {
      const rerank = async (explain: boolean) => {
        const scorer = new FakeScorer(fakeModel(seed, spread));
        const bertQe = new BertQE({ phaseOne: scorer }, { expansion: false, passageWords: 8 });
        const { explanation: _, ...found } = await bertQe.rerank('sea', docs, { explain });
        return { found: withoutSeconds(found), asked: scorer.asked };
      };
      expect(await rerank(false)).toEqual(await rerank(true));
    }),
    { numRuns: 200 },
  );
});
