import { resolve } from 'node:path';
import { hashJson } from '../../common/hash.js';
import type { Query, Ranking } from '../../collection/index.js';
import {
  distribute,
  isScorerAddress,
  parseFleetAddress,
  type FleetTask,
  type FleetWork,
} from '../../remote/index.js';
import { BertQeError } from '../../common/errors.js';
import { BertQE, rerankRun, type RerankCost } from '../../expansion/index.js';
import { engineOptions } from '../engine-options.js';
import type { OptionValues } from '../options.js';
import { openCollection } from '../searched-collection.js';
import type { JournalEntry, JournalInputs } from './rerank-journal.js';
import { bertQeOptions, entryOf, methodOptions, type WantedOutputs } from './rerank-method.js';
import { modelInputs, modelOptions, namedModels, openRemoteModels } from './rerank-models.js';
import type { RerankSource } from './rerank-source.js';
import type { RerankTotals } from './rerank-totals.js';

/** What of the command's options a worker needs. */
const taskOptions = { ...engineOptions, ...modelOptions, ...methodOptions } as const;
type TaskOptions = OptionValues<typeof taskOptions> & {
  readonly index?: string | undefined;
  readonly documents?: string | undefined;
  readonly 'top-k'?: number | undefined;
};

/** One query for a fleet: everything that a worker with the same models and the same index needs. */
export interface RerankTask {
  readonly options: TaskOptions & { readonly index: string };
  readonly tag: string;
  readonly wanted: WantedOutputs;
  /** Hashes that the worker's own models and index must have. */
  readonly inputs: JournalInputs;
  readonly query: Query;
  readonly ranking: Ranking;
}

export interface RerankTaskResult {
  readonly entry: JournalEntry;
  readonly cost: RerankCost;
  readonly documents: number;
}

export interface FleetRun {
  readonly options: TaskOptions;
  readonly tag: string;
  readonly wanted: WantedOutputs;
  readonly source: RerankSource;
  readonly inputs: JournalInputs;
  readonly isFinished: (query: string) => boolean;
  readonly totals: RerankTotals;
  readonly signal: AbortSignal;
}

/** Has the queries of a run done by a fleet; entries come in the order of the queries, as on one machine. */
export async function* fleetEntries(fleet: string, run: FleetRun): AsyncGenerator<JournalEntry> {
  const { options, totals, signal } = run;
  const address = parseFleetAddress(fleet);
  if (options.index === undefined) {
    throw new BertQeError('usage', '--fleet needs --index: workers must reach the documents too.');
  }
  const results = distribute<RerankTask, RerankTaskResult>(address, tasksOf(run, options.index), {
    run: hashJson(run.inputs),
    signal,
  });
  try {
    for await (const { result } of results) {
      totals.add(result.cost, result.documents);
      yield result.entry;
    }
    totals.summarise();
  } finally {
    totals.done();
  }
}

async function* tasksOf(run: FleetRun, index: string): AsyncGenerator<FleetTask<RerankTask>> {
  const { source, tag, wanted, inputs } = run;
  const byId = new Map(source.queries.map((query) => [query.id, query]));
  const options = shipped(run.options, index);
  for await (const { query: id, ranking } of source.rankings()) {
    if (run.isFinished(id)) continue;
    yield { key: id, data: { options, tag, wanted, inputs, query: byId.get(id)!, ranking } };
  }
}

/** Paths are made absolute: workers stand in other folders. Letters and names mean what the worker has under them. */
function shipped(options: TaskOptions, index: string): RerankTask['options'] {
  const names = Object.keys(taskOptions) as (keyof typeof taskOptions)[];
  const chosen = Object.fromEntries(names.map((name) => [name, options[name]])) as TaskOptions;
  for (const name of ['phase1', 'phase2', 'phase3', 'best-passage'] as const) {
    const model = chosen[name];
    if (model !== undefined && /[\\/]/.test(model) && !isScorerAddress(model)) chosen[name] = resolve(model);
  }
  const topK = options['top-k'];
  return {
    ...chosen,
    index: options.engine === undefined ? resolve(index) : index,
    ...(topK === undefined ? {} : { 'top-k': topK }),
  };
}

/** What a worker of a fleet does: models and index stay open from task to task. */
export class RerankWork implements FleetWork<RerankTask, RerankTaskResult> {
  #session: { readonly key: string; readonly opened: Promise<Session> } | undefined;

  constructor(private readonly signal: AbortSignal) {}

  async prepare(task: RerankTask): Promise<void> {
    const key = JSON.stringify([task.options, task.inputs]);
    if (this.#session?.key !== key) {
      await this.close();
      this.#session = { key, opened: openSession(task, this.signal) };
    }
    await this.#session!.opened;
  }

  async perform(
    { options, query, ranking, tag, wanted }: RerankTask,
    signal: AbortSignal,
  ): Promise<RerankTaskResult> {
    const { bertQe, collection } = await this.#session!.opened;
    const run = new Map([[query.id, ranking]]);
    const reranked = rerankRun(bertQe, [query], run, collection.store, {
      signal,
      explain: wanted.explanations,
      ...(options['top-k'] === undefined ? {} : { topK: options['top-k'] }),
    });
    for await (const done of reranked) {
      return { entry: await entryOf(done, tag, wanted), cost: done.cost, documents: done.ranking.length };
    }
    throw new BertQeError('failure', `Query ${query.id} was not re-ranked.`);
  }

  async close(): Promise<void> {
    const session = await this.#session?.opened.catch(() => undefined);
    this.#session = undefined;
    await session?.close();
  }
}

interface Session {
  readonly bertQe: BertQE;
  readonly collection: Awaited<ReturnType<typeof openCollection>>;
  close(): Promise<void>;
}

/** Opens models and index, and makes sure that they are those of the run. */
async function openSession({ options, inputs }: RerankTask, signal: AbortSignal): Promise<Session> {
  const models = await namedModels(options);
  const collection = await openCollection(options, signal);
  const opened: { close(): Promise<void> }[] = [collection];
  const close = async (): Promise<void> => {
    for (const one of opened.reverse()) await one.close();
  };
  try {
    const own: JournalInputs = { index: collection.identity, ...(await modelInputs(models)) };
    for (const [name, value] of Object.entries(own)) {
      if (inputs[name] === value) continue;
      throw new BertQeError(
        'usage',
        `The ${name} on this machine is not the one that the run was begun with; copy it here, then join again.`,
      );
    }
    const remote = await openRemoteModels(models, signal);
    opened.push(remote);
    const bertQe = await BertQE.load({
      models: remote.models,
      device: options.device,
      precision: options.precision,
      ...bertQeOptions(options),
      expansion: models.expansion,
    });
    opened.push(bertQe);
    return { bertQe, collection, close };
  } catch (error) {
    await close();
    throw error;
  }
}
