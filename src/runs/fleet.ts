import { resolve } from 'node:path';
import { z } from 'zod';
import type { BertScorer } from '../bert/index.js';
import { eachPhase } from '../expansion/index.js';
import type { Query, Ranking } from '../collection/index.js';
import { inputError, usageError } from '../common/errors.js';
import { hashJson } from '../common/hash.js';
import { isJsonObject } from '../common/json.js';
import { KeptOpen } from './kept-open.js';
import { omitUndefined } from '../common/omit-undefined.js';
import { openAll } from '../common/open-all.js';
import {
  distribute,
  isScorerAddress,
  openCollection,
  parseFleetAddress,
  workForFleet,
  type CollectionAddress,
  type FleetTask,
  type FleetWork,
  type FleetWorkerOptions,
  type SearchedCollection,
} from '../remote/index.js';
import {
  loadReranker,
  modelInputs,
  chooseNames,
  type LoadedReranker,
  type RerankerConfig,
  type RunInputs,
} from './load-reranker.js';
import { openModel, readPairs, scorePairs, type PairsTask } from './fleet-scorer.js';
import { rerankQuery } from './rerank-run.js';
import type { FinishedQuery, RunRerankerOptions, RunReranker } from './rerank-to-file.js';

interface FleetSetup {
  readonly collection: CollectionAddress;
  readonly config: RerankerConfig;
  /** Hashes that the worker's own index and models must have. */
  readonly inputs: RunInputs;
}

/** A query of a run, with everything that a worker needs to re-rank it. */
interface QueryTask {
  readonly setup: FleetSetup;
  readonly query: Query;
  readonly ranking: Ranking;
  readonly explain: boolean;
  readonly topK?: number;
}

type TaskResult = Omit<FinishedQuery, 'query'>;

/**
 * Re-ranks the queries of a run on a fleet: workers ({@link rerankForFleet}) on any number of machines that reach the
 * same Redis server and have the same index and models. A worker with others is refused by their hashes.
 */
export async function fleetReranker(
  fleet: string,
  collection: SearchedCollection,
  config: RerankerConfig,
  options: RunRerankerOptions = {},
): Promise<RunReranker> {
  const { topK } = options;
  const address = parseFleetAddress(fleet);
  if (collection.address === undefined) {
    throw usageError('A fleet needs an index that its workers can open too.');
  }
  const { index, cluster } = collection.address;
  const inputs = { index: collection.identity, ...(await modelInputs(config)) };
  // Workers run in other folders.
  const setup: FleetSetup = {
    collection: cluster ? { index, cluster } : { index: resolve(index) },
    config: { ...config, models: absoluteModels(config.models) },
    inputs,
  };
  const { models: _, ...settings } = config;
  return {
    inputs: { ...inputs, settings: hashJson(settings, topK), ...options.inputs },
    async *rerank(queries, rankings, { explain, signal }) {
      const byId = new Map(queries.map((query) => [query.id, query]));
      const rankedIds = new Map<string, ReadonlySet<string>>();
      const tasks = async function* (): AsyncGenerator<FleetTask<QueryTask>> {
        for await (const { query: id, ranking } of rankings) {
          const query = byId.get(id)!;
          rankedIds.set(id, new Set(ranking.map((document) => document.id)));
          yield { key: id, data: { setup, query, ranking, explain, ...omitUndefined({ topK }) } };
        }
      };
      const results = distribute<QueryTask, TaskResult>(address, tasks(), {
        run: hashJson(setup),
        read: (result, key) => checkedResult(result, rankedIds.get(key)!, explain),
        signal,
      });
      for await (const { key, result } of results) {
        rankedIds.delete(key);
        yield { query: byId.get(key)!, ...result };
      }
    },
  };
}

/** The result of a query, if it is one: a ranking of documents that the query had, each once, and the cost. */
function checkedResult(result: unknown, ids: ReadonlySet<string>, explain: boolean): TaskResult {
  if (!isJsonObject(result)) throw new Error('not an object');
  const { ranking, cost, explanation } = result;
  if (!Array.isArray(ranking)) throw new Error('no ranking');
  const left = new Set(ids);
  for (const place of ranking as unknown[]) {
    const { id, score } = isJsonObject(place) ? place : {};
    if (typeof id !== 'string' || !left.delete(id)) {
      throw new Error('a place without a document of the query, or with the document of another place');
    }
    if (typeof score !== 'number') throw new Error(`no score for document "${id}"`);
  }
  if (!isJsonObject(cost)) throw new Error('no cost');
  if (explain ? !isJsonObject(explanation) : explanation !== undefined) {
    throw new Error(explain ? 'no explanation' : 'an explanation that was not asked for');
  }
  return result as unknown as TaskResult;
}

/** Paths become absolute; letters and names stay, and mean the models that the worker has under them. */
function absoluteModels(models: RerankerConfig['models']): RerankerConfig['models'] {
  if (typeof models === 'string') return models;
  const { names } = chooseNames(models);
  return eachPhase((phase) =>
    /[\\/]/.test(names[phase]) && !isScorerAddress(names[phase]) ? resolve(names[phase]) : names[phase],
  );
}

/**
 * Works for a fleet: re-ranks the queries of whatever runs are handed to it, and scores pairs for experiments, until the
 * signal fires or it has been idle for long enough. Index and models stay open from query to query.
 */
export async function rerankForFleet(fleet: string, options: FleetWorkerOptions = {}): Promise<void> {
  const setups = new KeptOpen<OpenedSetup>(1);
  const models = new KeptOpen<BertScorer>(OPEN_MODELS);
  const setupOf = ({ setup }: QueryTask): Promise<OpenedSetup> =>
    setups.get(JSON.stringify(setup), () => openSetup(setup, options.signal));
  const modelOf = ({ model }: PairsTask): Promise<BertScorer> =>
    models.get(hashJson(model), () => openModel(model));
  const work: FleetWork<QueryTask | PairsTask, TaskResult | number[]> = {
    read: readTask,
    prepare: async (task) => void (await ('pairs' in task ? modelOf(task) : setupOf(task))),
    perform: async (task, signal) =>
      'pairs' in task
        ? scorePairs(await modelOf(task), task, signal)
        : performQuery(await setupOf(task), task, signal),
  };
  try {
    await workForFleet(parseFleetAddress(fleet), work, options);
  } finally {
    await models.close();
    await setups.close();
  }
}

async function performQuery(
  { reranker, collection }: OpenedSetup,
  { query, ranking, explain, topK }: QueryTask,
  signal: AbortSignal,
): Promise<TaskResult> {
  const options = { signal, explain, topK };
  const reranked = await rerankQuery(reranker, query, ranking, collection.documents, options);
  const { ranking: places, cost, explanation } = reranked;
  return { ranking: places, cost, ...(explanation ? { explanation } : {}) };
}

interface OpenedSetup extends LoadedReranker {
  readonly collection: SearchedCollection;
}

/** The parts of a task that are relied on; paths, names and settings are checked where they are used. */
const queryTask = z.object({
  setup: z.object({ collection: z.object({ index: z.string() }), config: z.object(), inputs: z.object() }),
  query: z.object({ id: z.string(), text: z.string() }),
  ranking: z.array(z.object({ id: z.string(), score: z.number() })),
  explain: z.boolean(),
  topK: z.int().optional(),
});

/** Checks what came as a task. */
export function readTask(data: unknown): QueryTask | PairsTask {
  if (isJsonObject(data) && 'pairs' in data) return readPairs(data);
  if (queryTask.safeParse(data).success) return data as QueryTask;
  throw inputError('The queue holds a task that is none: it has no query, ranking or setup.');
}

/** Models that a worker keeps open; an experiment asks for three or four at a time. */
const OPEN_MODELS = 4;

/** Opens index and models, and checks that they are those of the run. */
function openSetup(
  { collection: address, config, inputs }: FleetSetup,
  signal: AbortSignal | undefined,
): Promise<OpenedSetup> {
  return openAll(async (closeLater) => {
    const collection = await openCollection(address, signal);
    closeLater(() => collection.close());
    const own: RunInputs = { index: collection.identity, ...(await modelInputs(config)) };
    const different = Object.keys(own).find((name) => inputs[name] !== own[name]);
    if (different !== undefined) {
      throw usageError(
        `The ${different} on this machine is not the one that the run was begun with; copy it here, then join again.`,
      );
    }
    const { reranker, close } = await loadReranker(config, signal);
    closeLater(close);
    return { reranker, collection };
  });
}
