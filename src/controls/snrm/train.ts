import { closing } from '../../common/closing.js';
import { slices } from '../../common/concat.js';
import { usageError } from '../../common/errors.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import { type Index, indexedText } from '../../retrieval/index.js';
import type { TrainingManifest } from '../../training/index.js';
import {
  type JudgedInputs,
  networkSettings,
  type NetworkTrainingCall,
  type NetworkTrainingOptions,
  type RankingNetwork,
  trainNetwork,
} from '../../training/network/index.js';
import { perDocument } from '../documents.js';
import { writeDescription } from '../folder.js';
import { requireCount } from '../reranker.js';
import { skipGramDefaults, type SkipGramSettings, vectorConfiguration } from '../words/skip-gram.js';
import { type Vocabulary, vocabularyOf, writeTerms } from '../words/vocabulary.js';
import { pairBatch, textNumbers } from './batches.js';
import { representationGraph, type SnrmSizes, trainingGraph } from './graph.js';
import { buildLatentIndex, hasLatentIndex } from './latent-index.js';
import { Snrm } from './snrm.js';
import { startingValues } from './starting-values.js';
import { weakInputs } from './weak-inputs.js';

/** The options of the training of SNRM. */
export interface SnrmTrainingOptions extends Pick<
  NetworkTrainingOptions,
  'steps' | 'batch' | 'learningRate' | 'seed' | 'saveEvery' | 'threads'
> {
  /** Latent terms (2,000). */
  readonly latentTerms?: number | undefined;
  /** The weight of the sum of activations at the end of the training, to which it rises from 0 (1e-3). */
  readonly penalty?: number | undefined;
  /** Queries that are made of the documents (3,000). */
  readonly weakQueries?: number | undefined;
  /** Of the word vectors that training starts from; see {@link NprfTrainingOptions}. */
  readonly vectors?: Partial<SkipGramSettings> | undefined;
}

const snrmDefaults = { steps: 120, batch: 32, learningRate: 3e-4, depth: 100, dropout: 0 };
const ownDefaults = { latentTerms: 2000, penalty: 1e-3, weakQueries: 3000 };

/** How a training is resumed, stopped and watched, before and after the steps of the network too. */
export interface SnrmTrainingCall extends NetworkTrainingCall {
  readonly onVectors?: ((done: number, total: number) => void) | undefined;
  readonly onWeakQueries?: ((done: number, total: number) => void) | undefined;
  readonly onIndex?: ((done: number, total: number) => void) | undefined;
}

/**
 * Trains SNRM on the documents of an index, without judgements, and builds the index of their latent terms in the model's
 * folder.
 */
export async function trainSnrm(
  index: Index,
  options: SnrmTrainingOptions,
  call: SnrmTrainingCall,
): Promise<TrainingManifest> {
  const { latentTerms, penalty, weakQueries, vectors = {}, ...common } = withDefaults(options);
  const settings = networkSettings(common, snrmDefaults);
  const ofVectors = { ...skipGramDefaults, ...vectors };
  const { signal, out } = call;
  const weak = await weakInputs(
    index,
    { count: weakQueries, seed: settings.seed },
    { signal, onProgress: call.onWeakQueries },
  );
  const inputs: JudgedInputs = { ...weak, documents: index, documentsKey: index.manifest.digest };
  const task = {
    model: 'SNRM',
    configuration: { method: 'snrm', latentTerms, penalty, ...vectorConfiguration(ofVectors) },
    epsilon: 1e-8,
    open: async () => {
      const vocabulary = await vocabularyOf(index, ofVectors, { signal, onProgress: call.onVectors });
      const { dimensions } = vocabulary;
      const words = vocabulary.numbers.size;
      const sizes = { words, dimensions, hidden: [2 * dimensions], latent: latentTerms };
      // The weight rises in a straight line over the first half of the steps.
      const penaltyOf = (step: number) => penalty * Math.min(1, (2 * step) / settings.steps);
      return openSnrm(vocabulary, index, sizes, penaltyOf, settings.seed);
    },
  };
  const manifest = await trainNetwork(task, inputs, settings, call);
  if (!(await hasLatentIndex(out, index.manifest.digest))) {
    await closing(Snrm.load({ model: out }), (snrm) => {
      const textOf = (number: number) => indexedText(index.document(number));
      const represent = (numbers: readonly number[]) => snrm.represent(numbers.map(textOf), signal);
      return buildLatentIndex(out, index, latentTerms, represent, { signal, onProgress: call.onIndex });
    });
  }
  return manifest;
}

function withDefaults(options: SnrmTrainingOptions) {
  const all = { ...ownDefaults, ...omitUndefined(options) };
  const { latentTerms, weakQueries } = all;
  requireCount('Training', { latentTerms, weakQueries });
  if (!(all.penalty >= 0)) {
    throw usageError(`Training: penalty must be a number from 0 on, not ${all.penalty}.`);
  }
  return all;
}

/** Pairs of documents that go through the training graph at once. */
const pairsAtOnce = 8;

function openSnrm(
  vocabulary: Vocabulary,
  index: Index,
  sizes: SnrmSizes,
  penaltyOf: (step: number) => number,
  seed: number,
): RankingNetwork {
  const wordsOf = perDocument(index, (document) =>
    Int32Array.from(textNumbers(vocabulary, indexedText(document))),
  );
  return {
    network: {
      parameters: startingValues(vocabulary, sizes, seed),
      scoring: representationGraph(sizes),
      training: trainingGraph(sizes),
    },
    ofPairs: async (pairs, step) => {
      const weight = 1 / pairs.length;
      const inWords = await Promise.all(
        pairs.map(async ({ query, relevant, other }) => ({
          query: textNumbers(vocabulary, query.text),
          relevant: await wordsOf(relevant),
          other: await wordsOf(other),
        })),
      );
      return slices(inWords, pairsAtOnce).map((some) => pairBatch(some, weight, weight * penaltyOf(step)));
    },
    // It is not validated with judged queries.
    ofQuery: async () => ({ batches: [], places: [] }),
    files: {
      files: (out) => writeTerms(out, vocabulary),
      config: (out) => writeDescription(out, 'snrm', { sizes }),
    },
  };
}
