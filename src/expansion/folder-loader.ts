import { BertScorer, findModel } from '../bert/index.js';
import type { ModelOptions } from './choose-models.js';
import type { ModelLoader } from './load.js';

/** Models in folders, found by letter, name or path. */
export function folderLoader({
  device = 'auto',
  precision = 'auto',
}: Pick<ModelOptions, 'device' | 'precision'>): ModelLoader<BertScorer> {
  return { find: findModel, load: (model) => BertScorer.load({ model, device, precision }) };
}
