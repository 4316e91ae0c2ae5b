import type { DocumentStore, Query, Ranking } from '../../collection/index.js';
import { memoised } from '../../common/lazy.js';
import type { Index } from '../../retrieval/index.js';
import { Random, type TrainingManifest } from '../../training/index.js';
import {
  networkSettings,
  type NetworkTrainingCall,
  type JudgedInputs,
  type NetworkTrainingOptions,
  type RankingNetwork,
  sizeOf,
  trainNetwork,
} from '../../training/network/index.js';
import { perDocument } from '../documents.js';
import { writeDescription } from '../folder.js';
import {
  feedbackQueries,
  joined,
  type NprfFeatures,
  nprfSizes,
  QueryFeatures,
  termCounts,
} from './features.js';
import { nprfBatch, nprfShapes, scoringGraph, trainingGraph } from './graph.js';
import { skipGramDefaults, type SkipGramSettings, vectorConfiguration } from '../words/skip-gram.js';
import { type Vocabulary, vocabularyOf, writeVocabulary } from '../words/vocabulary.js';

/** The options of the training of NPRF-DRMM. Defaults are those of the released code where it has them. */
export interface NprfTrainingOptions extends NetworkTrainingOptions {
  /** Of the word vectors (100 dimensions, a window of 5 words, 5 negative words, 5 epochs, words that occur 5 times). */
  readonly vectors?: Partial<SkipGramSettings> | undefined;
}

/** The inputs of the training: the documents are those of an index, on which word vectors are trained too. */
export interface NprfTrainingInputs extends Omit<JudgedInputs, 'documents' | 'documentsKey'> {
  readonly index: Index;
}

/** The released code has up to 30 epochs of 250 batches of 20 pairs. */
const nprfDefaults = { steps: 7500, batch: 20, learningRate: 1e-3, depth: 1000, dropout: 0 };

/** Trains NPRF-DRMM, after the word vectors of the index where it has none yet, and writes a model folder. */
export async function trainNprf(
  { index, ...inputs }: NprfTrainingInputs,
  { vectors = {}, ...options }: NprfTrainingOptions,
  call: NetworkTrainingCall & {
    /** Reports the training of word vectors. */
    readonly onVectors?: ((done: number, total: number) => void) | undefined;
  },
): Promise<TrainingManifest> {
  const settings = networkSettings(options, nprfDefaults);
  const ofVectors = { ...skipGramDefaults, ...vectors };
  const task = {
    model: 'NPRF-DRMM',
    configuration: { method: 'nprf-drmm', ...vectorConfiguration(ofVectors) },
    epsilon: 1e-7,
    open: async () => {
      const { signal, onVectors: onProgress } = call;
      const vocabulary = await vocabularyOf(index, ofVectors, { signal, onProgress });
      return openNprf(vocabulary, inputs, index, settings.seed);
    },
  };
  const whole = { ...inputs, documents: index, documentsKey: index.manifest.digest };
  return trainNetwork(task, whole, settings, call);
}

/** Features of documents that are kept: 24 kB each. */
const keptFeatures = 10_000;

function openNprf(
  vocabulary: Vocabulary,
  { run }: Pick<JudgedInputs, 'run'>,
  store: DocumentStore,
  seed: number,
): RankingNetwork {
  const countsOf = perDocument(store, (document) => termCounts(vocabulary, document));
  const featuresOf = memoised(async (query: string) => {
    const first = (run.get(query) ?? []).slice(0, nprfSizes.documents);
    const ranked = [];
    for (const { id, score } of first) ranked.push({ score, counts: await countsOf(id) });
    return new QueryFeatures(vocabulary, feedbackQueries(vocabulary, ranked));
  });
  const kept = new Map<string, NprfFeatures>();
  const featuresOfPair = async (query: Query, document: string): Promise<NprfFeatures> => {
    const key = JSON.stringify([query.id, document]);
    const known = kept.get(key);
    if (known) return known;
    const made = (await featuresOf(query.id)).of([await countsOf(document)]);
    if (kept.size >= keptFeatures) kept.clear();
    kept.set(key, made);
    return made;
  };
  const random = new Random('new weights', seed);
  return {
    network: {
      parameters: [...nprfShapes].map(([name, shape]) => {
        // As the released code: small gates, and biases 0.
        const bound = name.endsWith('bias') ? 0 : name.includes('gate') ? 0.01 : 0.1;
        return { name, shape, values: random.symmetric(sizeOf(shape), bound) };
      }),
      scoring: scoringGraph(),
      training: trainingGraph(),
    },
    ofPairs: async (pairs) => {
      const parts: NprfFeatures[] = [];
      for (const { query, relevant, other } of pairs) {
        parts.push(await featuresOfPair(query, relevant), await featuresOfPair(query, other));
      }
      return [nprfBatch(joined(parts), new Float32Array(pairs.length).fill(1 / pairs.length))];
    },
    ofQuery: async (query: Query, ranking: Ranking) => {
      const parts: NprfFeatures[] = [];
      for (const { id } of ranking) parts.push(await featuresOfPair(query, id));
      return {
        batches: parts.length === 0 ? [] : [nprfBatch(joined(parts))],
        places: ranking.map((_, place) => place),
      };
    },
    files: {
      files: (out) => writeVocabulary(out, vocabulary),
      config: (out) => writeDescription(out, 'nprf-drmm', { sizes: nprfSizes }),
    },
  };
}
