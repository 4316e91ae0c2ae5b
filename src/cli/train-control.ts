import { trainCedr, type TrainedMethod, trainNprf, type NprfTrainingInputs } from '../controls/index.js';
import type { Index } from '../retrieval/index.js';
import type { TrainingManifest } from '../training/index.js';
import { usageError, type OptionSpecs } from './options.js';

/** The options of the training of controls. */
interface ControlTrainingValues {
  readonly steps?: number | undefined;
  readonly batch?: number | undefined;
  readonly 'learning-rate'?: number | undefined;
  readonly 'head-rate'?: number | undefined;
  readonly dropout: number;
  readonly seed: number;
  readonly depth: number;
  readonly 'validation-depth'?: number | undefined;
  readonly 'validate-every'?: number | undefined;
  readonly patience?: number | undefined;
  readonly 'save-every': number;
  readonly threads?: number | undefined;
}

/** The options of each method besides those that all trainings have. */
const ownOptions: Readonly<Record<TrainedMethod, readonly string[]>> = {
  'cedr-knrm': ['model', 'head-rate', 'dropout'],
  'nprf-drmm': [],
};

const commonOptions = [
  'steps',
  'batch',
  'learning-rate',
  'seed',
  'depth',
  'validation-depth',
  'validate-every',
  'patience',
  'save-every',
  'threads',
];

/** Refuses options of `train`, declared by `specs`, that mean nothing to a method. */
export function refuseForControl(
  method: TrainedMethod,
  options: object,
  specs: OptionSpecs,
  also: readonly string[],
): void {
  const known = new Set([...also, ...commonOptions, ...ownOptions[method]]);
  for (const [name, value] of Object.entries(options)) {
    if (known.has(name) || value === undefined || value === false) continue;
    if (value === specs[name]?.default) continue;
    throw usageError(`--${name} has no effect with --method ${method}; leave it out.`);
  }
}

/** Trains the model of a control. */
export function trainControl(
  method: TrainedMethod,
  model: string | undefined,
  inputs: Omit<NprfTrainingInputs, 'index'>,
  index: Index,
  options: ControlTrainingValues,
  call: Parameters<typeof trainNprf>[2],
): Promise<TrainingManifest> {
  const common = {
    steps: options.steps,
    batch: options.batch,
    learningRate: options['learning-rate'],
    seed: options.seed,
    depth: options.depth,
    validationDepth: options['validation-depth'],
    validateEvery: options['validate-every'],
    patience: options.patience,
    saveEvery: options['save-every'],
    threads: options.threads,
  };
  switch (method) {
    case 'cedr-knrm':
      return trainCedr(
        model!,
        { ...inputs, documents: index, documentsKey: index.manifest.digest },
        { ...common, headRate: options['head-rate'], dropout: options.dropout },
        call,
      );
    case 'nprf-drmm':
      return trainNprf({ ...inputs, index }, common, call);
  }
}
