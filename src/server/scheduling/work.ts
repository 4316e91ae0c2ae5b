import type { Settings } from '../../expansion/index.js';
import type { Variant } from '../catalogue/index.js';

/** Characters of a word piece, of a word with its space: of English text; for an estimate that is enough. */
export const charactersPerPiece = 4.4;
const charactersPerWord = 6;
const piecesPerWord = charactersPerWord / charactersPerPiece;
/** [CLS], [SEP], [SEP]. */
const specials = 3;
/** What a sequence keeps of either text (384 tokens in all). */
const mostOfFirst = 126;
const mostOfSecond = 254;

/** What the estimate depends on. */
export interface WorkInput {
  readonly query: string;
  /** Characters of each document. */
  readonly lengths: readonly number[];
  readonly variant: Variant;
  readonly settings: Settings;
}

/**
 * How much work a request is, before anything is tokenised: in tokens of a model of weight 1. Exact top-k and equal
 * texts can make it less.
 */
export function estimateWork({ query, lengths, variant, settings }: WorkInput): number {
  const { engines, expansion } = variant;
  const { passage, chunk, kd, kc } = settings;
  const asked = Math.min(mostOfFirst, query.length / charactersPerPiece) + specials;
  let work = 0;
  let inBestPassages = 0;
  for (const length of lengths) {
    const words = length / charactersPerWord;
    const count = Math.max(1, Math.ceil((words - passage.overlap) / (passage.length - passage.overlap)));
    const pieces = Math.min(mostOfSecond, Math.min(words, passage.length) * piecesPerWord);
    const { weight } = count > 1 ? engines.bestPassage : engines.phaseOne;
    work += weight * count * (asked + pieces);
    if (count > 1 && engines.bestPassage !== engines.phaseOne)
      work += engines.phaseOne.weight * (asked + pieces);
    inBestPassages += pieces;
  }
  if (!expansion || lengths.length === 0) return work;
  const ofChunk = chunk.length * piecesPerWord;
  const mean = inBestPassages / lengths.length;
  const chunks = Math.max(1, mean / piecesPerWord / (chunk.length - chunk.overlap) - 1);
  work += engines.phaseTwo.weight * Math.min(kd, lengths.length) * chunks * (asked + ofChunk);
  work += engines.phaseThree.weight * kc * (inBestPassages + lengths.length * (ofChunk + specials));
  return work;
}
