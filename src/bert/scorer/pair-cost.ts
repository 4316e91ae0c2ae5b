import { loadTokenizer, readModelConfig } from '../model-folder.js';
import { DEFAULT_MAX_LENGTH } from '../sequence.js';
import type { PairScorer } from './pair-scorer.js';
import { costOf, encodingOf } from './window.js';

/** The cost of pairs to a model; undefined where the shape of the model is not known. */
export type PairCost = PairScorer['costOf'];

/** Counts what pairs cost the model in a folder, without loading its weights. */
export async function loadPairCost(folder: string): Promise<PairCost> {
  const encoding = encodingOf(await loadTokenizer(folder), DEFAULT_MAX_LENGTH);
  // Exports of other architectures have no shape that costs could be told from.
  const shape = await readModelConfig(folder).catch(() => undefined);
  return (pairs, options) => costOf(pairs, encoding, shape, options);
}
