import { tmpdir } from 'node:os';
import { checkModels } from './check-models.js';
import { estimateCost, type Estimate } from './estimate.js';
import { readStudy } from './file/read.js';
import type { ExperimentFile } from './file/schema.js';
import { readInputs } from './inputs.js';
import { ModelPlaces } from './store/model-places.js';
import { modelsOfControls, rerankingSystems, systemsOf, type Systems } from './systems.js';

/** The steps of an experiment before it is run. */
export interface ExperimentPlan {
  readonly experiment: ExperimentFile;
  readonly systems: Systems;
  /** Queries that some fold validates with or tests. */
  readonly queries: number;
  readonly folds: number;
  readonly estimate: Estimate;
}

/** Reads and checks a file, its inputs and its models as a run does, and tells what a run will do; writes nothing. */
export async function planStudy(file: string): Promise<ReadonlyMap<string, ExperimentPlan>> {
  const study = await readStudy(file);
  const experiments = 'experiments' in study ? study.experiments : new Map([[study.name, study]]);
  const files = 'experiments' in study ? study.files : undefined;
  const plans = new Map<string, ExperimentPlan>();
  for (const [name, experiment] of experiments) {
    plans.set(name, await planExperiment(experiment, files?.get(name) ?? file));
  }
  return plans;
}

async function planExperiment(experiment: ExperimentFile, file: string): Promise<ExperimentPlan> {
  const systems = systemsOf(experiment);
  const inputs = await readInputs(experiment, file, { hashesDocuments: false });
  const reranking = rerankingSystems(systems);
  const places = new ModelPlaces(experiment, file, { folder: tmpdir() });
  const used = [...reranking, ...modelsOfControls(systems)];
  await checkModels(experiment, file, { systems: used, folds: inputs.folds, places });
  const tested = new Set(inputs.folds.flatMap(({ valid, test }) => [...valid, ...test]));
  return {
    experiment,
    systems,
    queries: tested.size,
    folds: inputs.folds.length,
    estimate: await estimateCost(experiment, reranking, inputs),
  };
}
