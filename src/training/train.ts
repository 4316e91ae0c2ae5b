import { BertQeError } from '../common/errors.js';
import { requireCuda, type Scorer } from '../bert/index.js';
import { Checkpoints, type SavedTraining } from './checkpoints.js';
import { collectExamples } from './collect-examples.js';
import { type Configuration, configurationOf } from './configuration.js';
import { publishedAdam, TrainingWorker } from './engine/index.js';
import type { LossKind } from './graph/index.js';
import { bestOf } from './history.js';
import { checkInputs, type TrainingInputs } from './inputs.js';
import { lazyScorer, readBaseModel, type BaseModel } from './models.js';
import {
  checkpointFolder,
  crossEncoderFiles,
  manifestOf,
  type OutputCall,
  type TrainingManifest,
  trainOnce,
  writeTrainedModel,
} from './output.js';
import { type LossName, trainingSettings, type TrainingOptions, type TrainingSettings } from './settings.js';
import { loopStateOf, type StepProgress, trainingLoop } from './training-loop.js';
import { ValidationSet } from './validation.js';

/** The progress of a training: first by query, while best passages (and chunks) are chosen, then by step. */
export type TrainProgress =
  | { readonly phase: 'passages'; readonly done: number; readonly total: number }
  | ({ readonly phase: 'training' } & StepProgress);

/** The output of a training, and how it is resumed, stopped and watched. */
export interface TrainCall extends OutputCall {
  readonly onProgress?: (progress: TrainProgress) => void;
  /** Opens a model that chooses passages or teaches; it is closed before training begins. */
  readonly openScorer?: (folder: string) => Scorer;
}

/** Fine-tunes a model on the candidates of queries, and writes a model folder. */
export async function trainModel(
  inputs: TrainingInputs,
  options: TrainingOptions,
  call: TrainCall,
): Promise<TrainingManifest> {
  const settings = trainingSettings(options);
  if (settings.device === 'cuda') await requireCuda();
  const base = await readBaseModel(inputs.model);
  checkInputs(inputs, settings, base);
  return trainOnce(
    call,
    () => configurationOf(inputs, settings, base),
    (configuration) => trainLocked(inputs, settings, base, configuration, call),
  );
}

/** Trains in a folder that no other process writes to. */
async function trainLocked(
  inputs: TrainingInputs,
  settings: TrainingSettings,
  base: BaseModel,
  configuration: Configuration,
  call: TrainCall,
): Promise<TrainingManifest> {
  const { out, signal } = call;
  const checkpoints = new Checkpoints(checkpointFolder(out));
  await checkpoints.prepare();
  const saved = await checkpoints.read(configuration);
  const { data, validation } = await collectExamples(inputs, settings, base, configuration, {
    journal: checkpoints.path('passages.jsonl'),
    openScorer: call.openScorer ?? lazyScorer,
    signal,
    onProgress: (done, total) => call.onProgress?.({ phase: 'passages', done, total }),
  });
  if (data.groups === 0) {
    throw new BertQeError(
      'input',
      `${inputs.label ?? 'The training'}: no query has both a relevant and another candidate, which the ${settings.loss} ` +
        `loss compares; ${settings.loss === 'residual' ? 'give more judgements' : 'use the pointwise loss'}, or a deeper run.`,
    );
  }
  const steps = settings.steps ?? data.stepsIn(settings.epochs);
  const validationSet = validation && new ValidationSet(validation, inputs.qrels, base.tokenizer, settings);
  const worker = await openWorker(base, settings, checkpoints, saved);
  try {
    const state = loopStateOf(saved);
    await trainingLoop(
      {
        worker,
        checkpoints,
        configuration,
        steps,
        learningRate: settings.learningRate,
        warmup: settings.warmup,
        schedule: settings.schedule,
        keep: settings.keep,
        examplesPerStep: data.examplesPerStep,
        saveEvery: settings.saveEvery,
        validateEvery: settings.validateEvery ?? Math.max(1, Math.ceil(steps / 10)),
        patience: settings.patience,
        takeSteps: (first, rates) => data.steps(worker, first, rates),
        prefersManySteps: worker.prefersManySteps,
        ...(validationSet && { validate: () => validationSet.evaluate(worker, base.config.labels) }),
        signal,
        onProgress: (progress) => call.onProgress?.({ phase: 'training', ...progress }),
      },
      state,
    );
    const best = settings.keep === 'best' ? bestOf(state.validations) : undefined;
    const manifest = manifestOf(inputs.model, configuration, data.counts, state, steps, best);
    return await writeTrainedModel(out, crossEncoderFiles(base), manifest, state.best, checkpoints, worker);
  } finally {
    await worker.close();
  }
}

/** The loss of the training graph for each loss. */
const graphLoss: Readonly<Record<LossName, LossKind>> = {
  pointwise: 'pointwise',
  pairwise: 'listwise',
  listwise: 'listwise',
  residual: 'given',
};

function openWorker(
  { config, folder }: BaseModel,
  { loss, dropout, seed, device, precision, threads }: TrainingSettings,
  checkpoints: Checkpoints,
  saved: SavedTraining | undefined,
): Promise<TrainingWorker> {
  return TrainingWorker.open({
    settings: {
      config,
      loss: graphLoss[loss],
      dropout,
      seed,
      adam: publishedAdam,
      device,
      precision,
      threads,
    },
    start: saved ? { state: checkpoints.path(saved.state.name) } : { model: folder },
  });
}
