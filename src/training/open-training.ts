import { copyTokenizer, writeConfig } from '../bert/index.js';
import type { TrainingData } from './data/training-data.js';
import { openTrainingWorker } from './engine/training-worker.js';
import { staysOnDevice } from './engine/training-engine.js';
import { headOf, type LossKind } from './graph/index.js';
import type { Measure } from './history.js';
import type { BaseModel } from './models.js';
import type { OpenTraining, TrainingStart } from './output.js';
import type { TrainingLoss, TrainingSettings } from './settings.js';
import type { StepProgress } from './training-loop.js';
import type { Validation } from './validation.js';

/** The parts of a BERT's training that depend on what it is trained on. */
export interface TrainingTask<Counts> {
  /** The model that training starts from, as the caller named it. */
  readonly model: string;
  readonly base: BaseModel;
  readonly data: TrainingData<Counts>;
  readonly validate?: Validation | undefined;
  readonly measure?: Measure | undefined;
}

/** The progress of the steps of a training, beside that of its other phases. */
export type TrainingPhase = { readonly phase: 'training' } & StepProgress;

/** Opens the worker of a BERT's training, with the weights that were saved last or those to start from. */
export async function openTraining<Counts>(
  { model, base, data, validate, measure }: TrainingTask<Counts>,
  settings: TrainingSettings,
  { stateFile }: TrainingStart,
  { onProgress }: { readonly onProgress?: (progress: TrainingPhase) => void },
): Promise<OpenTraining<Counts>> {
  const { optimiser, dropout, seed, device, precision, threads } = settings;
  const loss = graphLoss[settings.loss];
  const engine = { config: base.config, loss, optimiser, dropout, seed, device, precision, threads };
  const beginning = base.isNew ? 'new weights' : { model: base.folder };
  const worker = await openTrainingWorker({
    settings: engine,
    start: stateFile === undefined ? beginning : { state: stateFile },
  });
  const steps = settings.steps ?? data.stepsIn(settings.epochs);
  return {
    model,
    examples: data.counts,
    worker,
    loop: {
      ...settings,
      steps,
      examplesPerStep: data.examplesPerStep,
      validateEvery: settings.validateEvery ?? Math.max(1, Math.ceil(steps / 10)),
      takeSteps: (first, rates) => data.steps(worker, first, rates),
      prefersManySteps: staysOnDevice(engine),
      validate: validate && (() => validate(worker)),
      measure,
      onProgress: (progress) => onProgress?.({ phase: 'training', ...progress }),
    },
    writer: {
      files: (out) => copyTokenizer(base.folder, out),
      config: (out) => writeConfig(base.config, out, { head: headOf(loss) }),
    },
  };
}

const graphLoss: Readonly<Record<TrainingLoss, LossKind>> = {
  pointwise: 'pointwise',
  pairwise: 'listwise',
  listwise: 'listwise',
  residual: 'given',
  distilled: 'distilled',
  masked: 'masked',
};
