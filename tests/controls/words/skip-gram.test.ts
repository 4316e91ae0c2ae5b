import { expect, test } from 'vitest';
import { skipGram, skipGramDefaults } from '../../../src/controls/words/skip-gram.js';
import { Random } from '../../../src/training/random.js';

/** Documents of one of two topics, each with ten words of its own; the last word occurs twice in all. */
const documents = Array.from({ length: 400 }, (_, document) => {
  const random = new Random('skip-gram test', document);
  const topic = document % 2;
  const words = Array.from({ length: 30 }, () => 10 * topic + random.below(10));
  return document < 2 ? [...words, 20] : words;
});
const counts = new Uint32Array(21);
for (const word of documents.flat()) counts[word]++;
const words = { counts, documents: documents.length, wordsOf: (document: number) => documents[document] };
const settings = { ...skipGramDefaults, dimensions: 16, subsampling: 1 };

const product = (p: Float32Array, q: Float32Array): number =>
  p.reduce((sum, value, i) => sum + value * q[i], 0);

test('words that occur together have like vectors, rare words none, and the same seed gives the same vectors', async () => {
  const vectors = await skipGram(words, settings);
  const vector = (word: number) => vectors.subarray(16 * word, 16 * word + 16);
  const cosine = (a: number, b: number): number => {
    const [x, y] = [vector(a), vector(b)];
    return product(x, y) / Math.sqrt(product(x, x) * product(y, y));
  };
  const mean = (pairs: readonly (readonly [number, number])[]): number =>
    pairs.reduce((sum, [a, b]) => sum + cosine(a, b), 0) / pairs.length;
  const range = Array.from({ length: 10 }, (_, i) => i);
  const together = range.flatMap((a) => range.filter((b) => b !== a).map((b) => [a, b] as const));
  const apart = range.flatMap((a) => range.map((b) => [a, 10 + b] as const));
  expect(mean(together)).toBeGreaterThan(mean(apart) + 0.5);
  expect([...vector(20)]).toEqual(Array.from({ length: 16 }, () => 0));
  expect(Buffer.from((await skipGram(words, settings)).buffer).equals(Buffer.from(vectors.buffer))).toBe(
    true,
  );
  const other = await skipGram(words, { ...settings, seed: 2 });
  expect(Buffer.from(other.buffer).equals(Buffer.from(vectors.buffer))).toBe(false);
});

test('a collection without frequent words, or without documents, has no vectors', async () => {
  const none = { counts: Uint32Array.of(1, 2), documents: 1, wordsOf: () => [0, 1, 1] };
  expect([...(await skipGram(none, { ...settings, dimensions: 2 }))]).toEqual([0, 0, 0, 0]);
  const empty = { counts: new Uint32Array(0), documents: 0, wordsOf: () => [] };
  expect(await skipGram(empty, settings)).toHaveLength(0);
});

test('training stops at a signal and tells how far it is', async () => {
  const controller = new AbortController();
  const seen: number[] = [];
  const stopped = skipGram(
    words,
    { ...settings, epochs: 1000 },
    {
      signal: controller.signal,
      onProgress: (done, total) => {
        seen.push(done / total);
        controller.abort();
      },
    },
  );
  await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
  expect(seen).toHaveLength(1);
});
