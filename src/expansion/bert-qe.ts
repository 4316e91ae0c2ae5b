import { BertScorer, findModel } from '../bert/index.js';
import { chosenByOptions, type LoadOptions } from './choose-models.js';
import { loadModels, type ModelLoader } from './load.js';
import { Reranker } from './reranker.js';

/** BERT-QE: re-ranks documents with the query and with the best chunks of the best documents. */
export class BertQE extends Reranker {
  /**
   * Loads the models and makes a re-ranker of them.
   *
   * @example
   * const bertQe = await BertQE.load({ models: 'SST' });
   * const { results } = await bertQe.rerank('why do bridges sway', texts, { topK: 10 });
   */
  static async load(options: LoadOptions = {}): Promise<BertQE> {
    const { chosen, settings } = chosenByOptions(options);
    const { scorers, loaded } = await loadModels(chosen, folderLoader(options));
    return new BertQE(scorers, settings, loaded);
  }
}

/** Models in folders, found by letter, name or path. */
export function folderLoader({
  device = 'auto',
  precision = 'auto',
}: Pick<LoadOptions, 'device' | 'precision'>): ModelLoader<BertScorer> {
  return { find: findModel, load: (model) => BertScorer.load({ model, device, precision }) };
}
