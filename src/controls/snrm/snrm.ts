import type { Query, Ranking, Retriever, SearchOptions } from '../../collection/index.js';
import { usageError } from '../../common/errors.js';
import { refuseUnknownOptions } from '../../common/known-options.js';
import { Lazy } from '../../common/lazy.js';
import type { RankedInput } from '../../expansion/index.js';
import { indexedText } from '../../retrieval/index.js';
import { type FeedBatch, portions } from '../../training/network/index.js';
import { readDescription } from '../folder.js';
import {
  type ControlLoadOptions,
  type ControlOptions,
  LOAD_OPTIONS,
  NetworkReranker,
  type PreparedQuery,
  requireCount,
  type TrainedNetwork,
  withNetwork,
} from '../reranker.js';
import { readTerms, type Terms } from '../words/vocabulary.js';
import { textBatch, textNumbers, type WordNumbers } from './batches.js';
import { representationGraph, type SnrmSizes, snrmShapes, windowFlops } from './graph.js';
import { feedbackDefaults, type LatentFeedback, LatentIndex, type LatentVector } from './latent-index.js';

/** Options of {@link Snrm.load}. */
export interface SnrmLoadOptions extends ControlLoadOptions {
  /** Pseudo-relevance feedback of searches (none); `{}` for 10 documents, 20 terms and a weight of 0.5. */
  readonly feedback?: Partial<LatentFeedback>;
}

/**
 * SNRM (Zamani et al., 2018), a system that the paper compares with: a network gives texts sparse representations, whose
 * latent terms are searched in an inverted index. It searches the documents that it was trained on, and re-ranks any.
 */
export class Snrm extends NetworkReranker implements Retriever {
  readonly #latent = new Lazy(() => LatentIndex.open(this.model));

  private constructor(
    network: TrainedNetwork,
    private readonly terms: Terms,
    private readonly sizes: SnrmSizes,
    private readonly model: string,
    private readonly feedback: LatentFeedback | undefined,
    options: ControlOptions,
  ) {
    super('SNRM', network, options);
  }

  /**
   * Loads a model that `bert-qe train --method snrm` made.
   *
   * @example
   * const snrm = await Snrm.load({ model: 'snrm-notes', feedback: {} });
   * const ranking = await snrm.search({ id: '1', text: 'why do bridges sway' }, { depth: 100 });
   */
  static async load(options: SnrmLoadOptions): Promise<Snrm> {
    refuseUnknownOptions('Snrm.load', options, { ...LOAD_OPTIONS, feedback: true }, "{ model: 'folder' }");
    const { model } = options;
    const feedback = options.feedback && feedbackOf(options.feedback);
    const { sizes } = await readDescription<{ readonly sizes: SnrmSizes }>(model, 'snrm');
    const terms = await readTerms(model);
    return withNetwork(
      options,
      snrmShapes(sizes),
      representationGraph(sizes),
      (network) => new Snrm(network, terms, sizes, model, feedback, options),
    );
  }

  /** Searches the documents that the model was trained on. */
  async search(query: Query, { depth = 1000, signal }: SearchOptions = {}): Promise<Ranking> {
    const [vector] = await this.represent([query.text], signal);
    return (await this.latentIndex()).search(vector, { depth, signal }, this.feedback);
  }

  /** The sparse representations of texts. */
  async represent(texts: readonly string[], signal?: AbortSignal): Promise<LatentVector[]> {
    const { latent } = this.sizes;
    const outputs = await this.run(batchesOf(texts.map((text) => textNumbers(this.terms, text))), signal);
    return texts.map((_, i) => sparse(outputs.subarray(i * latent, (i + 1) * latent)));
  }

  /** The index of latent terms that was built after the training. */
  latentIndex(): Promise<LatentIndex> {
    return this.#latent.get();
  }

  /** Number of terms of a text after analysis, those included that the collection lacks. */
  countTerms(text: string): number {
    return this.terms.analyzer.analyze(text).length;
  }

  /** FLOPs of the representation of a text. */
  flopsOf(text: string): number {
    return textNumbers(this.terms, text).length * windowFlops(this.sizes);
  }

  override async close(): Promise<void> {
    await super.close();
    await (await this.#latent.take())?.close();
  }

  protected prepare(query: string, candidates: readonly RankedInput[]): PreparedQuery {
    const texts = [query, ...candidates.map(({ document }) => indexedText(document))].map((text) =>
      textNumbers(this.terms, text),
    );
    const { latent } = this.sizes;
    const words = texts.reduce((sum, { length }) => sum + length, 0);
    return {
      batches: batchesOf(texts),
      scoresOf: (outputs) => {
        const [first, ...others] = texts.map((_, i) => outputs.subarray(i * latent, (i + 1) * latent));
        return Float32Array.from(others, (document) =>
          document.reduce((sum, weight, term) => sum + weight * first[term], 0),
        );
      },
      tokens: 0,
      flops: words * windowFlops(this.sizes) + 2 * latent * candidates.length,
    };
  }
}

/** The most windows of a batch: the activations of each are a number per latent term. */
const batchWindows = 1024;

function batchesOf(texts: readonly WordNumbers[]): FeedBatch[] {
  return portions(
    texts,
    ({ length }) => length,
    () => batchWindows,
  ).map(textBatch);
}

function sparse(values: Float32Array): LatentVector {
  const terms: number[] = [];
  values.forEach((value, term) => {
    if (value > 0) terms.push(term);
  });
  return { terms, weights: terms.map((term) => values[term]) };
}

function feedbackOf(given: Partial<LatentFeedback>): LatentFeedback {
  refuseUnknownOptions('Snrm.load: feedback', given, { documents: true, terms: true, weight: true });
  const feedback = { ...feedbackDefaults, ...given };
  const { documents, terms } = feedback;
  requireCount('SNRM', { 'feedback.documents': documents, 'feedback.terms': terms });
  if (!(feedback.weight >= 0)) {
    throw usageError(`SNRM: feedback.weight must be a number from 0 on, not ${feedback.weight}.`);
  }
  return feedback;
}
