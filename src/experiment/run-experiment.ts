import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readRun, type Qrels } from '../collection/index.js';
import { writeFileAtomic } from '../common/atomic.js';
import { writeFailure } from '../common/io-errors.js';
import {
  crossValidate,
  missingQueries,
  type CrossValidated,
  type CrossValidationContext,
} from './cross-validate.js';
import { readExperiment } from './file/read.js';
import type { ExperimentFile } from './file/schema.js';
import { FirstStages } from './first-stage.js';
import { readInputs, type Inputs } from './inputs.js';
import { render } from './report/render.js';
import { measure, type Results } from './results.js';
import { isReranker, systemsOf, type FirstStageSystem, type Reranker, type Systems } from './systems.js';
import { trainFolds } from './train-folds.js';
import { Tracker, type ExperimentProgress } from './tracker.js';
import { versions } from '../common/versions.js';
import { Manifest } from './work/manifest.js';
import { Models, type OpenModel } from './work/models.js';
import { WorkStore } from './work/store.js';
import { workPerQuery } from './work-ahead.js';

export interface RunExperimentOptions {
  /** Folder of the results, and of the work that a later start goes on with. */
  readonly out: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ExperimentProgress) => void;
  /** Loads a model; for models that are not BERT cross-encoders in a folder. */
  readonly openModel?: OpenModel;
}

export interface ExperimentOutcome {
  readonly results: Results;
  /** Steps that had to run; the others were done before. */
  readonly ran: readonly string[];
  /** The page to look at. */
  readonly report: string;
}

/** Runs what is missing of an experiment and renders all of it. */
export async function runExperiment(file: string, options: RunExperimentOptions): Promise<ExperimentOutcome> {
  return carryOut(await readExperiment(file), file, options);
}

/** The same for an experiment that has been read; its paths are relative to the file. */
export async function carryOut(
  experiment: ExperimentFile,
  file: string,
  options: RunExperimentOptions,
): Promise<ExperimentOutcome> {
  const { out, signal } = options;
  const systems = systemsOf(experiment);
  const work = join(out, 'work');
  try {
    await mkdir(work, { recursive: true });
  } catch (error) {
    throw writeFailure(out, error);
  }
  const inputs = await readInputs(experiment, file);
  const store = new WorkStore(join(work, 'store'));
  const models = new Models(experiment, file, store, options.openModel);
  const tracker = new Tracker(signal, options.onProgress);
  const manifest = await Manifest.open(
    out,
    { versions: versions(), options: experiment, inputs: inputs.digests },
    models.records,
  );
  const firstStages = new FirstStages(experiment, inputs, manifest, tracker);
  try {
    const { index, key } = await firstStages.anyIndex(systems.initial);
    const runs = await rankFirstStages(systems, firstStages);
    const context: CrossValidationContext = {
      experiment,
      folds: inputs.folds,
      qrels: inputs.qrels,
      qrelsKey: inputs.digests.qrels,
      queries: inputs.queries,
      initial: inputs.run ?? (await readRun(runs.get(systems.initial!.id)!)),
      documents: index,
      documentsKey: key,
      models,
      store,
      manifest,
      tracker,
    };
    const wanted = rerankersOf(systems);
    const trained =
      typeof experiment.training === 'object'
        ? await trainFolds(experiment.training, wanted, context)
        : undefined;
    const rerankers = await rerank(wanted, context);
    const tested = testedQrels(inputs);
    const measured = await measure(experiment, systems, { firstStages: runs, rerankers }, tested, {
      documents: index.statistics.documents,
      queries: tested.size,
      folds: inputs.folds.length,
    });
    const results: Results = trained ? { ...measured, trained } : measured;
    await writeAll(out, render(results));
    await manifest.finish();
    return { results, ran: manifest.ran, report: join(out, 'report.html') };
  } finally {
    await models.close();
    await firstStages.close();
    await store.close();
  }
}

/** Writes rendered files below a folder. */
export async function writeAll(out: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, content] of files) {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await writeFileAtomic(join(out, path), content);
  }
}

async function rankFirstStages(systems: Systems, firstStages: FirstStages): Promise<Map<string, string>> {
  const runs = new Map<string, string>();
  const wanted = systems.baselines.filter((system): system is FirstStageSystem => !isReranker(system));
  for (const system of [...(systems.initial ? [systems.initial] : []), ...wanted]) {
    if (!runs.has(system.id)) runs.set(system.id, await firstStages.run(system));
  }
  return runs;
}

/** MaxP first: every variant of the same first size goes on from its scores. */
function rerankersOf({ baselines, variants, ablations, grid }: Systems): Reranker[] {
  const all = [
    ...baselines.filter(isReranker),
    ...variants,
    ...(ablations ? [ablations.of, ...ablations.systems] : []),
    ...(grid?.points ?? []),
  ];
  return [...new Map(all.map((system) => [system.id, system])).values()];
}

async function rerank(
  systems: readonly Reranker[],
  context: CrossValidationContext,
): Promise<Map<string, CrossValidated>> {
  const work = workPerQuery(systems);
  for (const system of systems) {
    context.tracker.totalWork += (await missingQueries(system, context)) * work.get(system.id)!;
  }
  const done = new Map<string, CrossValidated>();
  for (const system of systems)
    done.set(system.id, await crossValidate(system, context, work.get(system.id)!));
  return done;
}

/** Judgements of the queries that some fold tests. */
function testedQrels({ qrels, folds }: Inputs): Qrels {
  const tested = new Set(folds.flatMap(({ test }) => test));
  return new Map([...qrels].filter(([query]) => tested.has(query)));
}
