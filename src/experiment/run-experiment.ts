import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readRun, writeRun, type Qrels } from '../collection/index.js';
import { writeFileAtomic } from '../common/atomic.js';
import { closing } from '../common/closing.js';
import { withLock } from '../common/lock.js';
import { versions } from '../common/package-files.js';
import {
  crossValidate,
  missingQueries,
  type CrossValidated,
  type CrossValidationContext,
} from './cross-validate.js';
import { crossValidateControl } from './controls/cross-validate.js';
import type { ExperimentFile } from './file/schema.js';
import { fleetScorer } from '../runs/index.js';
import { estimateCost, type Estimate } from './estimate.js';
import { FirstStages } from './first-stages.js';
import { readInputs, type Inputs } from './inputs.js';
import { checkModels, unpackModels } from './check-models.js';
import { ProgressTracker, workPerQuery, type ExperimentProgress } from './progress.js';
import { render } from './report/render.js';
import { evaluateSystems, type Results } from './results.js';
import { Manifest } from './store/manifest.js';
import { Models, type OpenModel } from './store/models.js';
import { ScoreStore } from './store/score-store.js';
import {
  isControl,
  isGiven,
  isReranking,
  modelsOfControls,
  rerankingSystems,
  systemsOf,
  type GivenSystem,
  type RerankingSystem,
  type Systems,
} from './systems.js';
import { trainFolds } from './train-folds.js';

export interface RunExperimentOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: ExperimentProgress) => void;
  /** Loads a model, for models that are not BERT cross-encoders in a folder. */
  readonly openModel?: OpenModel;
  /** Called before an experiment begins with its name and what it will cost. */
  readonly onEstimate?: (name: string, estimate: Estimate) => void;
  /** Scores on the workers that meet at this Redis server (`bert-qe fleet work`), several queries at a time. */
  readonly fleet?: string | undefined;
}

export interface ExperimentOutcome {
  readonly results: Results;
  /** Names of the steps that ran; the others were done before. */
  readonly ran: readonly string[];
  readonly report: string;
}

/**
 * Runs the missing steps of an experiment that was read from a file, and writes all runs, tables, figures and the report.
 * A later run continues the work in the folder `out`.
 */
export async function runExperiment(
  experiment: ExperimentFile,
  file: string,
  out: string,
  options: RunExperimentOptions,
): Promise<ExperimentOutcome> {
  const lock = join(out, 'work', '.lock');
  return withLock(lock, { what: out, signal: options.signal }, async () => {
    const inputs = await readInputs(experiment, file);
    return closing(ScoreStore.open(join(out, 'work', 'scores.journal')), (store) =>
      runMissingSteps(experiment, file, out, options, inputs, store),
    );
  });
}

async function runMissingSteps(
  experiment: ExperimentFile,
  file: string,
  out: string,
  options: RunExperimentOptions,
  inputs: Inputs,
  store: ScoreStore,
): Promise<ExperimentOutcome> {
  const { fleet } = options;
  const systems = systemsOf(experiment);
  const models = new Models(experiment, file, store, {
    folder: join(out, 'work', 'models'),
    open: options.openModel ?? (fleet === undefined ? undefined : onFleet(fleet)),
    isTimed: fleet === undefined,
    isOwn: options.openModel !== undefined,
    signal: options.signal,
  });
  const tracker = new ProgressTracker(options.signal, options.onProgress);
  const manifest = await Manifest.open(
    out,
    { versions: versions(), options: experiment, inputs: inputs.digests },
    models.records,
  );
  const firstStages = new FirstStages(experiment, inputs, manifest, tracker);
  try {
    const reranking = rerankingSystems(systems);
    const used = {
      systems: [...reranking, ...modelsOfControls(systems)],
      folds: inputs.folds,
      places: models.places,
    };
    await checkModels(experiment, file, used);
    if (store.isEmpty && options.onEstimate) {
      options.onEstimate(experiment.name, await estimateCost(experiment, reranking, inputs));
    }
    await unpackModels(experiment, used, (name) => tracker.update(`model ${name}`, 0));
    const { index, key } = await firstStages.anyIndex(systems.initial);
    const runs = await rankFirstStages(systems, { firstStages, inputs, manifest });
    const context: CrossValidationContext = {
      experiment,
      file,
      folds: inputs.folds,
      qrels: inputs.qrels,
      qrelsKey: inputs.digests.qrels,
      queries: inputs.queries,
      initial: inputs.runs.get(systems.initial.name) ?? (await readRun(runs.get(systems.initial.id)!)),
      documents: index,
      documentsKey: key,
      models,
      store,
      manifest,
      tracker,
      queriesAtATime: fleet === undefined ? 1 : FLEET_QUERIES,
    };
    const trained =
      typeof experiment.training === 'object'
        ? await trainFolds(experiment.training, used.systems, context)
        : undefined;
    const rerankers = await crossValidateAll(reranking, context);
    for (const system of systems.baselines.filter(isControl)) {
      rerankers.set(system.id, await crossValidateControl(system, context));
    }
    const qrels = testedQrels(inputs);
    const evaluated = await evaluateSystems(
      experiment,
      systems,
      new Map<string, string | CrossValidated>([...runs, ...rerankers]),
      qrels,
      { documents: index.statistics.documents, queries: qrels.size, folds: inputs.folds.length },
    );
    const results: Results = trained ? { ...evaluated, trained } : evaluated;
    await writeFiles(out, render(results));
    await manifest.finish();
    return { results, ran: manifest.ran, report: join(out, 'report.html') };
  } finally {
    await models.close();
    await firstStages.close();
  }
}

/** Queries that are scored at a time on a fleet, so that its workers do not wait for each other. */
const FLEET_QUERIES = 16;

function onFleet(fleet: string): OpenModel {
  return (folder, { device, precision }) =>
    fleetScorer(fleet, folder, {
      ...(device === 'auto' ? {} : { device }),
      ...(precision === 'auto' ? {} : { precision }),
    });
}

/** Writes files, given by path, below a folder. */
export async function writeFiles(out: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, content] of files) {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await writeFileAtomic(join(out, path), content);
  }
}

/** The run files of the initial ranking, the first-stage baselines and the given runs, by system id. */
async function rankFirstStages(
  { initial, baselines }: Systems,
  { firstStages, inputs, manifest }: { firstStages: FirstStages; inputs: Inputs; manifest: Manifest },
): Promise<Map<string, string>> {
  const runs = new Map<string, string>();
  for (const system of [initial, ...baselines]) {
    if (isReranking(system) || isControl(system) || runs.has(system.id)) continue;
    const run = isGiven(system) ? await keepGiven(system, inputs, manifest) : await firstStages.run(system);
    runs.set(system.id, run);
  }
  return runs;
}

/** Writes a given run among those of the results, and gives its path. */
async function keepGiven(
  system: GivenSystem,
  { runs, digests }: Inputs,
  manifest: Manifest,
): Promise<string> {
  const { name, id } = system;
  const { file } = await manifest.runOf(system, ['given 1', digests[`run ${name}`]], (path) =>
    writeRun(path, runs.get(name)!, { tag: id }),
  );
  return file;
}

async function crossValidateAll(
  systems: readonly RerankingSystem[],
  context: CrossValidationContext,
): Promise<Map<string, CrossValidated>> {
  const work = workPerQuery(systems);
  for (const system of systems) {
    context.tracker.totalWork += (await missingQueries(system, context)) * work.get(system.id)!;
  }
  const done = new Map<string, CrossValidated>();
  for (const system of systems) {
    done.set(system.id, await crossValidate(system, context, work.get(system.id)!));
  }
  return done;
}

/** Judgements of the queries that some fold tests. */
function testedQrels({ qrels, folds }: Inputs): Qrels {
  const tested = new Set(folds.flatMap(({ test }) => test));
  return new Map([...qrels].filter(([query]) => tested.has(query)));
}
