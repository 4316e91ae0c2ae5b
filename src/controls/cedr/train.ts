import { copyTokenizer, formatModelConfig, hashModel } from '../../bert/index.js';
import { bertWeights, openCheckpoint } from '../../bert/checkpoint/index.js';
import type { DocumentStore } from '../../collection/index.js';
import { closing } from '../../common/closing.js';
import { slices } from '../../common/concat.js';
import { usageError } from '../../common/errors.js';
import { memoised } from '../../common/lazy.js';
import { type BaseModel, Random, readBaseModel, type TrainingManifest } from '../../training/index.js';
import {
  isTable,
  type NetworkParameter,
  networkSettings,
  type NetworkTrainingCall,
  type JudgedInputs,
  type NetworkTrainingOptions,
  type NetworkTrainingSettings,
  type RankingNetwork,
  sizeOf,
  TOKEN_GRADIENTS,
  trainNetwork,
} from '../../training/network/index.js';
import { perDocument } from '../documents.js';
import { writeDescription } from '../folder.js';
import { type CedrLengths, cedrBatch, publishedLengths, type TokenPair, tokenPair } from './batches.js';
import { batchesOf, documentTokens } from './cedr.js';
import { cedrShapes, scoringGraph, trainingGraph } from './graph.js';

/** The options of the training of CEDR-KNRM. Defaults are those of the released code. */
export interface CedrTrainingOptions extends NetworkTrainingOptions {
  /** The learning rate of the linear layer over kernels and [CLS] (1e-3); `learningRate` is BERT's (2e-5). */
  readonly headRate?: number | undefined;
  /** (20, 800 and the model's positions.) */
  readonly lengths?: Partial<CedrLengths> | undefined;
}

/** A step is a batch of the released code; its epochs have 32, and there are up to 100. */
const cedrDefaults = { steps: 3200, batch: 16, learningRate: 2e-5, depth: 1000, dropout: 0.1 };
export const cedrHeadRate = 1e-3;

/** Trains CEDR-KNRM, starting from a cross-encoder's BERT, and writes a model folder. */
export async function trainCedr(
  model: string,
  inputs: JudgedInputs,
  { headRate = cedrHeadRate, lengths: wanted = {}, ...options }: CedrTrainingOptions,
  call: NetworkTrainingCall,
): Promise<TrainingManifest> {
  const settings = networkSettings(options, cedrDefaults);
  const base = await readBaseModel(model);
  const lengths = {
    ...publishedLengths,
    maxLength: Math.min(publishedLengths.maxLength, base.config.maxPositions),
    ...wanted,
  };
  checkLengths(lengths, base);
  const task = {
    model,
    configuration: { method: 'cedr-knrm', base: await hashModel(base.folder), headRate, ...lengths },
    epsilon: 1e-8,
    open: () => openCedr(base, inputs.documents, lengths, headRate / settings.learningRate, settings),
  };
  return trainNetwork(task, inputs, settings, call);
}

function checkLengths(
  { queryTokens, documentTokens: document, maxLength }: CedrLengths,
  base: BaseModel,
): void {
  const { maxPositions } = base.config;
  const isRight =
    queryTokens >= 1 && document >= 1 && maxLength <= maxPositions && maxLength >= queryTokens + 16;
  if (isRight) return;
  throw usageError(
    `CEDR-KNRM: queries of ${queryTokens} and documents of ${document} tokens in sequences of ${maxLength} are not possible ` +
      `with ${base.folder}; it has ${maxPositions} positions.`,
  );
}

async function openCedr(
  base: BaseModel,
  documents: DocumentStore,
  lengths: CedrLengths,
  headFactor: number,
  { dropout, seed }: NetworkTrainingSettings,
): Promise<RankingNetwork> {
  const { config, tokenizer, folder } = base;
  const { graph, masks } = trainingGraph(config, { dropout: dropout > 0 });
  const queryTokens = memoised((text: string) => tokenizer.encode(text).subarray(0, lengths.queryTokens));
  const tokensOf = perDocument(documents, (document) =>
    // A copy: a part of a longer array would keep all of it.
    documentTokens(tokenizer, document, lengths).slice(),
  );
  const pairOf = async (query: string, id: string): Promise<TokenPair> =>
    tokenPair(tokenizer, queryTokens(query), await tokensOf(id), lengths);
  return {
    network: {
      parameters: await startingValues(base, headFactor, seed),
      scoring: scoringGraph(config),
      training: graph,
      masks,
    },
    ofPairs: async (pairs) => {
      const weight = 1 / pairs.length;
      return Promise.all(
        // Few documents at a time, as in the released code: the graph keeps all activations of a batch.
        slices(pairs, pairsAtOnce).map(async (some) => {
          const both = await Promise.all(
            some.map(async ({ query, relevant, other }) => [
              await pairOf(query.text, relevant),
              await pairOf(query.text, other),
            ]),
          );
          const targets = Float32Array.from({ length: 2 * some.length }, (_, i) =>
            i % 2 === 0 ? weight : 0,
          );
          return cedrBatch(tokenizer, both.flat(), targets);
        }),
      );
    },
    ofQuery: async (query, ranking) => {
      const pairs: TokenPair[] = [];
      for (const { id } of ranking) pairs.push(await pairOf(query.text, id));
      return batchesOf(tokenizer, pairs);
    },
    files: {
      files: (out) => copyTokenizer(folder, out),
      config: (out) => {
        const encoder = JSON.parse(formatModelConfig(config)) as object;
        return writeDescription(out, 'cedr-knrm', { ...encoder, lengths });
      },
    },
  };
}

/** Pairs of documents that go through the training graph at once. */
const pairsAtOnce = 4;

/** BERT's weights, and new ones of the linear layer: uniform in ±1/√inputs, as PyTorch has them. */
async function startingValues(
  { folder, config }: BaseModel,
  headFactor: number,
  seed: number,
): Promise<NetworkParameter[]> {
  return closing(openCheckpoint(folder), async (checkpoint) => {
    const weights = bertWeights(checkpoint, config, { head: 'none' });
    const shapes = cedrShapes(config);
    const bound = 1 / Math.sqrt(shapes.get('combine.weight')![1]);
    const parameters: NetworkParameter[] = [];
    for (const [name, shape] of shapes) {
      if (name.startsWith('combine.')) {
        const values = new Random('new weights', seed, name).symmetric(sizeOf(shape), bound);
        parameters.push({ name, shape, values, rate: headFactor });
      } else {
        const values = await weights.get(name);
        parameters.push({ name, shape, values, ...(isTable(name) && { rowGradient: TOKEN_GRADIENTS }) });
      }
    }
    return parameters;
  });
}
