import { availableParallelism } from 'node:os';
import type { Query, Ranking } from '../../collection/index.js';
import { BertQeError } from '../../common/errors.js';
import { hashJson } from '../../common/hash.js';
import { evaluate } from '../../evaluation/index.js';
import { Checkpoints } from '../checkpoints.js';
import type { Configuration } from '../configuration.js';
import type { AdamSettings } from '../engine/index.js';
import { bestOf } from '../history.js';
import { checkQueries, type JudgedInputs } from '../inputs.js';
import { judgedCandidates } from '../examples/index.js';
import {
  checkpointFolder,
  manifestOf,
  type ModelWriter,
  type OutputCall,
  type TrainingManifest,
  trainOnce,
  writeTrainedModel,
} from '../output.js';
import { Random } from '../random.js';
import { type LoopState, loopStateOf, type StepProgress, trainingLoop } from '../training-loop.js';
import { validationMeasure } from '../validation.js';
import type { Network, NetworkBatch } from './network.js';
import { NetworkWorker } from './network-worker.js';

/** A relevant document of a query and another one, which is to score less. */
export interface DocumentPair {
  readonly query: Query;
  readonly relevant: string;
  readonly other: string;
}

/** The batches that score the documents of a query. */
export interface QueryBatches {
  readonly batches: readonly NetworkBatch[];
  /** The place of each score's document in the ranking. */
  readonly places: readonly number[];
}

/** A network that ranks documents, ready to be trained. */
export interface RankingNetwork {
  readonly network: Network;
  /** The batches of pairs; the weights of all pairs sum to 1. */
  ofPairs(pairs: readonly DocumentPair[]): Promise<readonly NetworkBatch[]>;
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

/** The options with a network's defaults; see {@link NetworkTrainingOptions}. */
export interface NetworkTrainingSettings {
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
  readonly depth: number;
  readonly validationDepth: number;
  readonly dropout: number;
  readonly seed: number;
  readonly validateEvery: number;
  readonly patience: number | undefined;
  readonly saveEvery: number;
  readonly threads: number;
}

/** The defaults that networks do not share. */
export type NetworkDefaults = Pick<
  NetworkTrainingSettings,
  'steps' | 'batch' | 'learningRate' | 'depth' | 'dropout'
>;

/** Checks the options and fills in the defaults. */
export function networkSettings(
  options: NetworkTrainingOptions,
  defaults: NetworkDefaults,
): NetworkTrainingSettings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const settings = { ...defaults, seed: 1, saveEvery: 200, threads: availableParallelism(), ...given };
  for (const [name, value] of Object.entries(settings)) {
    const [least, most] = name === 'dropout' ? [0, 0.9] : name === 'learningRate' ? [1e-12, 1] : [0, 1e9];
    const isCount = name !== 'dropout' && name !== 'learningRate';
    const isRight = value >= (isCount && name !== 'seed' ? 1 : least) && value <= most;
    if (isRight && (!isCount || Number.isInteger(value))) continue;
    throw new BertQeError('usage', `Training: ${name} cannot be ${String(value)}.`);
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
  readonly adam: AdamSettings;
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
  const sampler = new PairSampler(inputs, settings);
  return trainOnce(
    call,
    () => ({ ...task.configuration, ...configurationOf(inputs, settings) }),
    (configuration) => train(task, inputs, settings, configuration, sampler, call),
  );
}

async function train(
  task: NetworkTask,
  inputs: JudgedInputs,
  settings: NetworkTrainingSettings,
  configuration: Configuration,
  sampler: PairSampler,
  { out, signal, onProgress }: NetworkTrainingCall,
): Promise<TrainingManifest> {
  const checkpoints = new Checkpoints(checkpointFolder(out));
  await checkpoints.prepare();
  const saved = await checkpoints.read(configuration);
  const { network, ofPairs, ofQuery, files } = await task.open();
  const { dropout, seed, threads, steps, batch } = settings;
  const worker = await NetworkWorker.open({
    network,
    settings: { adam: task.adam, biasCorrection: true, dropout, seed, threads },
    ...(saved && { state: checkpoints.path(saved.state.name) }),
  });
  try {
    const state: LoopState = loopStateOf(saved);
    const { validationQueries } = inputs;
    await trainingLoop(
      {
        ...settings,
        worker,
        checkpoints,
        configuration,
        warmup: 0,
        schedule: 'linear',
        keep: 'best',
        examplesPerStep: 2 * batch,
        takeSteps: async (step, [learningRate]) => [
          await worker.step(step, learningRate, await ofPairs(sampler.pairs(step))),
        ],
        ...(validationQueries && {
          validate: () =>
            validate(validationQueries, inputs, settings, async (query, ranking) => {
              const { batches, places } = await ofQuery(query, ranking);
              const scores = await worker.score(batches);
              return places.map((place, i) => ({ id: ranking[place].id, score: scores[i] }));
            }),
        }),
        signal,
        onProgress,
      },
      state,
    );
    const manifest = manifestOf(
      task.model,
      configuration,
      sampler.counts,
      state,
      steps,
      bestOf(state.validations),
    );
    return await writeTrainedModel(out, files, manifest, state.best, checkpoints, worker);
  } finally {
    await worker.close();
  }
}

async function validate(
  queries: readonly Query[],
  { run, qrels }: JudgedInputs,
  { validationDepth }: NetworkTrainingSettings,
  rank: (query: Query, ranking: Ranking) => Promise<Ranking>,
): Promise<number> {
  const ranked = new Map<string, Ranking>();
  for (const query of queries) {
    ranked.set(query.id, await rank(query, (run.get(query.id) ?? []).slice(0, validationDepth)));
  }
  const judged = new Map([...qrels].filter(([query]) => ranked.has(query)));
  const { summary } = evaluate(ranked, judged, {
    measures: [validationMeasure],
    complete: true,
    label: 'the validation ranking',
  });
  return summary.get(validationMeasure)!;
}

/** A query with its candidates. */
interface JudgedQuery {
  readonly query: Query;
  readonly relevant: readonly string[];
  readonly others: readonly string[];
}

/** Draws pairs of a relevant and another candidate; a step's pairs depend on its number and the seed alone. */
class PairSampler {
  readonly counts: { readonly queries: number; readonly relevant: number; readonly others: number };
  readonly #queries: readonly JudgedQuery[];
  #round: { readonly number: number; readonly queries: readonly JudgedQuery[] } | undefined;

  constructor(
    { queries, run, qrels, label = 'The training' }: JudgedInputs,
    private readonly settings: NetworkTrainingSettings,
  ) {
    this.#queries = queries
      .map((query) => {
        const judged = judgedCandidates(run.get(query.id) ?? [], qrels.get(query.id), settings.depth);
        const ids = (kind: boolean): string[] =>
          judged.filter(({ relevant }) => relevant === kind).map(({ document }) => document);
        return { query, relevant: ids(true), others: ids(false) };
      })
      .filter(({ relevant, others }) => relevant.length > 0 && others.length > 0);
    if (this.#queries.length === 0) {
      throw new BertQeError(
        'input',
        `${label}: none of the ${queries.length} training queries has both a relevant and another candidate, which are ` +
          'compared; give the run and the judgements of these queries, or a deeper run.',
      );
    }
    const count = (of: (query: JudgedQuery) => number): number =>
      this.#queries.reduce((sum, one) => sum + of(one), 0);
    this.counts = {
      queries: this.#queries.length,
      relevant: count(({ relevant }) => relevant.length),
      others: count(({ others }) => others.length),
    };
  }

  /** The pairs of a step: of queries in random order, one after the other, a random pair each. */
  pairs(step: number): DocumentPair[] {
    const { batch, seed } = this.settings;
    return Array.from({ length: batch }, (_, i) => {
      const number = step * batch + i;
      const round = Math.floor(number / this.#queries.length);
      const { query, relevant, others } = this.#order(round)[number % this.#queries.length];
      const random = new Random('pair', seed, number);
      return {
        query,
        relevant: relevant[random.below(relevant.length)],
        other: others[random.below(others.length)],
      };
    });
  }

  #order(number: number): readonly JudgedQuery[] {
    if (this.#round?.number !== number) {
      const queries = new Random('queries', this.settings.seed, number).shuffle([...this.#queries]);
      this.#round = { number, queries };
    }
    return this.#round.queries;
  }
}

function configurationOf(
  { queries, validationQueries = [], qrels, run, documentsKey }: JudgedInputs,
  settings: NetworkTrainingSettings,
): Configuration {
  const ids = [...queries, ...validationQueries].map(({ id }) => id);
  const deepest = Math.max(settings.depth, settings.validationDepth);
  const listed = Object.entries(settings).filter(
    ([name, value]) => value !== undefined && name !== 'threads' && name !== 'saveEvery',
  ) as [string, number][];
  return {
    ...Object.fromEntries(listed),
    documents: documentsKey,
    queries: hashTexts(queries),
    validationQueries: hashTexts(validationQueries),
    qrels: hashJson(ids.map((id) => [...(qrels.get(id) ?? [])])),
    run: hashJson(ids.map((id) => (run.get(id) ?? []).slice(0, deepest))),
  };
}

function hashTexts(queries: readonly Query[]): string {
  return hashJson(queries.map(({ id, text }) => [id, text]));
}
