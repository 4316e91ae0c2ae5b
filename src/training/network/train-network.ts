import { availableParallelism } from 'node:os';
import type { Query, Ranking } from '../../collection/index.js';
import { inputError } from '../../common/errors.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import { type Configuration, judgedConfiguration } from '../configuration.js';
import { BatchSampler, type ExampleCounts } from '../data/training-data.js';
import type { FeedBatch } from '../engine/micro-batch.js';
import type { Network } from '../engine/network-engine.js';
import { openNetworkWorker } from '../engine/training-worker.js';
import { byRelevance, judgedCandidates } from '../examples/query-examples.js';
import { checkQueries, type JudgedInputs } from '../inputs.js';
import { type ModelWriter, type OutputCall, trainInFolder, type TrainingManifest } from '../output.js';
import { Random } from '../random.js';
import { checkNumber, refuseUnknownTrainingOptions } from '../settings.js';
import type { StepProgress } from '../training-loop.js';
import { validationValue } from '../validation.js';

/** A relevant document of a query and another one, which is to score less. */
export interface DocumentPair {
  readonly query: Query;
  readonly relevant: string;
  readonly other: string;
}

/** The batches that score the documents of a query. */
export interface QueryBatches {
  readonly batches: readonly FeedBatch[];
  /** The place of each score's document in the ranking. */
  readonly places: readonly number[];
}

/** A network that ranks documents, ready to be trained. */
export interface RankingNetwork {
  readonly network: Network;
  /** The batches of a step's pairs; the weights of all pairs sum to 1. Steps count from 0. */
  ofPairs(pairs: readonly DocumentPair[], step: number): Promise<readonly FeedBatch[]>;
  ofQuery(query: Query, ranking: Ranking): Promise<QueryBatches>;
  readonly files: ModelWriter;
}

/** The options of the training of a ranking network. Defaults are those of the network. */
export interface NetworkTrainingOptions {
  readonly steps?: number | undefined;
  /** Pairs of documents per step. */
  readonly batch?: number | undefined;
  readonly learningRate?: number | undefined;
  /** Candidates per query, from the top of its ranking. */
  readonly depth?: number | undefined;
  /** Candidates per validation query (`depth`). */
  readonly validationDepth?: number | undefined;
  readonly dropout?: number | undefined;
  readonly seed?: number | undefined;
  readonly validateEvery?: number | undefined;
  readonly patience?: number | undefined;
  readonly saveEvery?: number | undefined;
  readonly threads?: number | undefined;
}

export type NetworkTrainingSettings = {
  readonly [Name in Exclude<keyof NetworkTrainingOptions, 'patience'>]-?: number;
} & { readonly patience: number | undefined };

export type NetworkDefaults = Pick<
  NetworkTrainingSettings,
  'steps' | 'batch' | 'learningRate' | 'depth' | 'dropout'
>;

export function networkSettings(
  options: NetworkTrainingOptions,
  defaults: NetworkDefaults,
): NetworkTrainingSettings {
  refuseUnknownTrainingOptions(options);
  const settings = {
    ...defaults,
    seed: 1,
    saveEvery: 200,
    threads: availableParallelism(),
    ...omitUndefined(options),
  };
  for (const [name, value] of Object.entries(settings)) {
    checkNumber(name as keyof NetworkTrainingOptions, value);
  }
  return {
    validationDepth: settings.depth,
    validateEvery: Math.max(1, Math.ceil(settings.steps / 10)),
    patience: undefined,
    ...settings,
  };
}

/** The output of a training, and how it is resumed, stopped and watched. */
export interface NetworkTrainingCall extends OutputCall {
  readonly onProgress?: (progress: StepProgress) => void;
}

/** The parts of a training that depend on the model: its name, the inputs of its results, and the network, made when it is needed. */
export interface NetworkTask {
  readonly model: string;
  readonly configuration: Configuration;
  /** Adam's ε. */
  readonly epsilon: number;
  open(): Promise<RankingNetwork>;
}

/** Trains a ranking network on pairs of documents, and writes a model folder. */
export async function trainNetwork(
  task: NetworkTask,
  inputs: JudgedInputs,
  settings: NetworkTrainingSettings,
  call: NetworkTrainingCall,
): Promise<TrainingManifest> {
  checkQueries(inputs);
  const sampler = pairSampler(inputs, settings);
  return trainInFolder(
    call,
    () => ({ ...task.configuration, ...configurationOf(inputs, settings) }),
    async ({ stateFile }) => {
      const { network, ofPairs, ofQuery, files } = await task.open();
      const { dropout, seed, threads } = settings;
      const worker = await openNetworkWorker(
        network,
        { epsilon: task.epsilon, dropout, seed, threads },
        stateFile,
      );
      const { validationQueries, run, qrels } = inputs;
      const validate = async (queries: readonly Query[]): Promise<number> => {
        const ranked = new Map<string, Ranking>();
        for (const query of queries) {
          const ranking = (run.get(query.id) ?? []).slice(0, settings.validationDepth);
          const { batches, places } = await ofQuery(query, ranking);
          const scores = await worker.call('score', batches);
          ranked.set(
            query.id,
            places.map((place, i) => ({ id: ranking[place].id, score: scores[i] })),
          );
        }
        return validationValue(ranked, qrels);
      };
      return {
        model: task.model,
        examples: sampler.counts,
        worker,
        writer: files,
        loop: {
          ...settings,
          warmup: 0,
          schedule: 'linear',
          keep: 'best',
          examplesPerStep: 2 * settings.batch,
          takeSteps: async (number, [learningRate]) =>
            worker.call('steps', [
              { number, learningRate, batches: await ofPairs(sampler.pairs(number), number) },
            ]),
          validate: validationQueries && (() => validate(validationQueries)),
          onProgress: call.onProgress,
        },
      };
    },
  );
}

/**
 * Draws pairs of a relevant and another candidate: a step's are of queries in random order, one after the other, a random
 * pair each. They depend on the step's number and the seed alone.
 */
function pairSampler(
  { queries, run, qrels, label = 'The training' }: JudgedInputs,
  { depth, batch, seed }: NetworkTrainingSettings,
): { readonly counts: ExampleCounts; pairs(step: number): DocumentPair[] } {
  const useful = queries
    .map((query) => {
      const judged = judgedCandidates(run.get(query.id) ?? [], qrels.get(query.id), depth);
      return { query, ...byRelevance(judged) };
    })
    .filter(({ relevant, others }) => relevant.length > 0 && others.length > 0);
  if (useful.length === 0) {
    throw inputError(
      `${label}: none of the ${queries.length} training queries has both a relevant and another candidate, which are ` +
        'compared; give the run and the judgements of these queries, or a deeper run.',
    );
  }
  const sampler = new BatchSampler(() => [...useful], { batch, groupSize: 1, seed }, 'queries');
  return {
    counts: {
      queries: useful.length,
      relevant: useful.reduce((sum, { relevant }) => sum + relevant.length, 0),
      others: useful.reduce((sum, { others }) => sum + others.length, 0),
    },
    pairs: (step) =>
      sampler.batch(step).map(({ query, relevant, others }, i) => {
        const random = new Random('pair', seed, step * batch + i);
        return {
          query,
          relevant: relevant[random.below(relevant.length)].document,
          other: others[random.below(others.length)].document,
        };
      }),
  };
}

function configurationOf(inputs: JudgedInputs, settings: NetworkTrainingSettings): Configuration {
  const listed = Object.entries(settings).filter(
    ([name, value]) => value !== undefined && name !== 'threads' && name !== 'saveEvery',
  ) as [string, number][];
  return {
    ...Object.fromEntries(listed),
    ...judgedConfiguration(inputs, Math.max(settings.depth, settings.validationDepth)),
  };
}
