import type { z } from 'zod';
import {
  windowSpans,
  wordsOf,
  type Explanation,
  type InputDocument,
  type Settings,
} from '../../expansion/core.js';
import { mapInSlices } from '../../common/yield.js';
import type { explanation } from '../schemas/index.js';

export type ShownExplanation = z.output<typeof explanation>;

type PassageAt = ShownExplanation['documents'][number]['passageAt'];

/** An explanation as answers have it: with lengths of chunks, and where passages lie in their documents. */
export async function showExplanation(
  { chunks, documents }: Explanation,
  byId: ReadonlyMap<string, Pick<InputDocument, 'title' | 'text'>>,
  { passage }: Settings,
  signal: AbortSignal,
): Promise<ShownExplanation> {
  return {
    chunks: chunks.map((chunk) => ({ ...chunk, words: wordsOf(chunk.text).length })),
    documents: await mapInSlices(documents, signal, ({ chunkScores, ...document }) => ({
      ...document,
      chunkScores: [...chunkScores],
      passageAt: passageAt(document.passage, byId.get(document.id), passage),
    })),
  };
}

/** Finds the window that the passage is; the first where several read the same, as the re-ranker does. */
function passageAt(
  passage: string | null,
  document: Pick<InputDocument, 'title' | 'text'> | undefined,
  shape: Settings['passage'],
): PassageAt {
  if (passage === null || passage === '' || document === undefined) return null;
  const words = wordsOf(document.text);
  const given = wordsOf(passage);
  for (const { start, end } of windowSpans(words.length, shape)) {
    const titleWords = given.length - (end - start);
    if (titleWords < 0 || titleWords > shape.titleWords) continue;
    if (words.slice(start, end).every((word, i) => word === given[titleWords + i])) {
      return { titleWords, start, end };
    }
  }
  // A document without words is its title.
  return { titleWords: given.length, start: 0, end: 0 };
}
