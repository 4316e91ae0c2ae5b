import {
  chosenByOptions,
  loadModels,
  type BertQEOptions,
  type LoadOptions,
  Reranker,
} from '../expansion/core.js';
import { BertScorer, WEB_MODEL_OPTIONS, type WebModelOptions } from './bert-scorer.js';
import { modelAddress } from './model-address.js';

/** Options of {@link BertQE.load}: models by letter or address, the method's, and the ways to run them. */
export type WebLoadOptions = Pick<LoadOptions, 'models'> & BertQEOptions & WebModelOptions;

/** BERT-QE: re-ranks documents with the query and with the best chunks of the best documents. */
export class BertQE extends Reranker {
  /**
   * Loads the models and makes a re-ranker of them. Models that were loaded before come from the browser's storage.
   *
   * @example
   * const bertQe = await BertQE.load({ models: 'T', modelBase: '/models/', runtime: '/ort/' });
   * const { results } = await bertQe.rerank('why do bridges sway', texts, { topK: 10 });
   */
  static async load(options: WebLoadOptions = {}): Promise<BertQE> {
    const { chosen, settings } = chosenByOptions(options as LoadOptions, WEB_MODEL_OPTIONS);
    const ways = Object.fromEntries(
      Object.entries(options).filter(([name]) => Object.hasOwn(WEB_MODEL_OPTIONS, name)),
    ) as WebModelOptions;
    const names = new Map<string, string>();
    const { scorers, loaded } = await loadModels(chosen, {
      find: async (name) => {
        const { place } = modelAddress(name, ways.modelBase);
        names.set(place, name);
        return place;
      },
      load: (place) => BertScorer.load({ ...ways, model: names.get(place)! }),
    });
    return new BertQE(scorers, settings, loaded);
  }
}
