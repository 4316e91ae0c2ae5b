import { scoringCost, countOf } from '../cost.js';
import { loadTokenizer, readModelConfig } from '../model-folder.js';
import { DEFAULT_MAX_LENGTH } from '../sequence.js';
import type { ScoreOptions, ScoringCost, TextPair } from '../types.js';
import { encodingOf, lengthOf, limited } from './window.js';

/** The cost of pairs to a model; undefined where the shape of the model is not known. */
export type PairCost = (
  pairs: readonly TextPair[],
  options?: Pick<ScoreOptions, 'secondPieces'>,
) => ScoringCost | undefined;

/** Counts what pairs cost the model in a folder, without loading its weights. */
export async function loadPairCost(folder: string): Promise<PairCost> {
  const tokenizer = await loadTokenizer(folder);
  // Exports of other architectures have no shape that costs could be told from.
  const shape = await readModelConfig(folder).catch(() => undefined);
  const encoding = encodingOf(tokenizer, DEFAULT_MAX_LENGTH);
  return (pairs, options = {}) => {
    const cut = limited(encoding, options);
    return shape && scoringCost(shape, countOf(pairs.map((pair) => lengthOf(pair, cut))));
  };
}
