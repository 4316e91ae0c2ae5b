import { slices } from '../../common/concat.js';
import { refuseUnknownOptions } from '../../common/known-options.js';
import type { RankedInput } from '../../expansion/index.js';
import { readDescription } from '../folder.js';
import {
  type ControlLoadOptions,
  type ControlOptions,
  LOAD_OPTIONS,
  NetworkReranker,
  type PreparedQuery,
  type TrainedNetwork,
  withNetwork,
} from '../reranker.js';
import { feedbackQueries, nprfSizes, QueryFeatures, termCounts } from './features.js';
import { nprfBatch, nprfShapes, scoringGraph } from './graph.js';
import { readVocabulary, type Vocabulary } from '../words/vocabulary.js';

/** Options of {@link Nprf.load}. */
export type NprfLoadOptions = ControlLoadOptions;

/**
 * NPRF(ds)-DRMM (Li et al., 2018), a system that the paper compares with: the first ten documents of the initial ranking
 * are queries themselves, matched with every document by histograms of word-vector cosines.
 */
export class Nprf extends NetworkReranker {
  private constructor(
    network: TrainedNetwork,
    private readonly vocabulary: Vocabulary,
    options: ControlOptions,
  ) {
    super('NPRF-DRMM', network, options);
  }

  /**
   * Loads a model that `bert-qe train --method nprf-drmm` made.
   *
   * @example
   * const nprf = await Nprf.load({ model: 'nprf-notes' });
   * const { results } = await nprf.rerank('why do bridges sway', ranked, { topK: 10 });
   */
  static async load(options: NprfLoadOptions): Promise<Nprf> {
    refuseUnknownOptions('Nprf.load', options, LOAD_OPTIONS, "{ model: 'folder' }");
    await readDescription(options.model, 'nprf-drmm');
    const vocabulary = await readVocabulary(options.model);
    return withNetwork(
      options,
      nprfShapes,
      scoringGraph(),
      (network) => new Nprf(network, vocabulary, options),
    );
  }

  protected prepare(_query: string, candidates: readonly RankedInput[]): PreparedQuery {
    const { vocabulary } = this;
    const ranked = candidates.map(({ document, initial }) => ({
      counts: termCounts(vocabulary, document),
      score: initial,
    }));
    const features = new QueryFeatures(vocabulary, feedbackQueries(vocabulary, ranked));
    const batches = slices(ranked, documentsAtOnce).map((some) =>
      nprfBatch(features.of(some.map(({ counts }) => counts))),
    );
    const comparisons = ranked.reduce((sum, { counts }) => sum + features.comparisons(counts), 0);
    return {
      batches,
      scoresOf: (outputs) => outputs,
      tokens: 0,
      flops: 2 * vocabulary.dimensions * comparisons + ranked.length * networkFlops,
    };
  }
}

const documentsAtOnce = 64;

const { documents: kd, terms: kt, bins } = nprfSizes;
/** FLOPs of the network for a document. */
const networkFlops = kd * kt * 2 * (bins * 5 + 5 + 2);
