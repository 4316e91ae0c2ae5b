import { availableParallelism } from 'node:os';
import { DEFAULT_MAX_LENGTH, type Device, deviceNames } from '../bert/index.js';
import { type BertQeError, usageError } from '../common/errors.js';
import { refuseUnknownOptions } from '../common/known-options.js';
import { DEFAULTS } from '../expansion/index.js';
import type { TrainingPrecision } from './engine/training-engine.js';
import type { Optimiser } from './graph/index.js';

/** The options that have one of several words; the first one is the default. */
export const trainingChoices = {
  loss: ['pointwise', 'pairwise', 'listwise', 'residual'],
  device: deviceNames,
  precision: ['fp32', 'tf32', 'fp16'],
  schedule: ['linear', 'bert', 'plateau'],
  optimiser: ['adam', 'muon'],
  keep: ['best', 'last'],
} as const;

type ChoiceName = keyof typeof trainingChoices;

/** The losses of training on judged queries. */
export type LossName = (typeof trainingChoices.loss)[number];

/**
 * The courses of the learning rate. `linear` rises from the first step and falls from its peak, reached after the warm-up,
 * to 0. `bert` is that of BERT's own code, and so the authors': the warm-up starts at 0, and then the rate is what a fall
 * from the first step on would have left of the peak. `plateau` stays at its peak up to 35 % of the steps.
 */
export type ScheduleName = (typeof trainingChoices.schedule)[number];

/** The weights that a training keeps. */
export type KeptWeights = (typeof trainingChoices.keep)[number];

/** All losses: besides, those of stored scores and of masked tokens, whose trainings have one loss each. */
export type TrainingLoss = LossName | 'distilled' | 'masked';

/**
 * The options of a training. Defaults are the paper's, but for the schedule and the weights that are kept: see
 * {@link PUBLISHED_TRAINING}.
 */
export interface TrainingOptions {
  /** Passes over all examples (2). */
  readonly epochs?: number | undefined;
  /** Steps, in place of epochs. */
  readonly steps?: number | undefined;
  /** Examples per step (32); for the residual loss, candidates (96: four queries with 24 each); of stored scores or text 256. */
  readonly batch?: number | undefined;
  /** The largest learning rate, reached after the warm-up (1e-6; of stored scores or text 1e-4). */
  readonly learningRate?: number | undefined;
  /** The share of the steps during which the learning rate rises (0.1). */
  readonly warmup?: number | undefined;
  /** The course of the learning rate (`linear`). */
  readonly schedule?: ScheduleName | undefined;
  /** `muon` updates the matrices of the layers by Muon, and all else by Adam (`adam`). */
  readonly optimiser?: Optimiser | undefined;
  /** `best`: the weights of the best validation, where there are validation queries; `last`: those of the last step (`best`). */
  readonly keep?: KeptWeights | undefined;
  /** Longest sequence in tokens (384). */
  readonly maxLength?: number | undefined;
  /** The probability that an activation is dropped (0.1). */
  readonly dropout?: number | undefined;
  /** The seed of everything random (1). */
  readonly seed?: number | undefined;
  /**
   * The loss (`pointwise`). `pointwise` is the published one and classifies each example. `pairwise` and `listwise`
   * compare a relevant example with one other, or with `groupSize - 1` others, of its query. `residual`, for phase three
   * alone, compares a query's candidates by the final score, of which only rel(C,d) can change.
   */
  readonly loss?: LossName | undefined;
  /** Examples in a group of the listwise loss or of stored scores (8), or candidates per query in the residual loss (24). */
  readonly groupSize?: number | undefined;
  /** α of the final score in the residual loss (0.3); a larger α than in ranking gives larger gradients. */
  readonly lossAlpha?: number | undefined;
  /** β of the final score in the residual loss (.95). */
  readonly lossBeta?: number | undefined;
  /** Candidates per query, from the top of its ranking (1000). */
  readonly depth?: number | undefined;
  /** Candidates per validation query (`depth`). */
  readonly validationDepth?: number | undefined;
  /** The most candidates of a query, drawn at random (all). */
  readonly candidates?: number | undefined;
  /** The most irrelevant candidates per relevant one, drawn at random (all). */
  readonly negatives?: number | undefined;
  /** The weight of the teacher's scores in the targets, against the judgements (0.5). */
  readonly teacherWeight?: number | undefined;
  /** Of masked-language training, the share of the tokens that are masked (0.15). */
  readonly maskedShare?: number | undefined;
  /** Words of a passage; neighbouring passages share half of them (100). */
  readonly passageWords?: number | undefined;
  /** Words of the title in front of every passage (30). */
  readonly titleWords?: number | undefined;
  /** Steps between two validations, where there are validation queries (a tenth of all). */
  readonly validateEvery?: number | undefined;
  /** Training ends after so many validations without a better value (never). */
  readonly patience?: number | undefined;
  /** Steps between two checkpoints (200). */
  readonly saveEvery?: number | undefined;
  /** The most tokens in a micro-batch, into which batches are divided (2048; on CUDA 16384, or fewer if memory is full). */
  readonly batchTokens?: number | undefined;
  /** Threads (the processor's). */
  readonly threads?: number | undefined;
  /** The device of forward and backward passes; but for CUDA, the optimiser runs on the processor (`cpu`). */
  readonly device?: Device | undefined;
  /** The numbers that passes are computed in; weights and sums are kept in fp32 (on CUDA `fp16` or `tf32`, elsewhere `fp32`). */
  readonly precision?: TrainingPrecision | undefined;
}

/** The settings of the authors' training that differ from the defaults. */
export const PUBLISHED_TRAINING = { schedule: 'bert', keep: 'last' } as const satisfies TrainingOptions;

/** Options that have no default, or one that depends on the examples. */
type Open = 'steps' | 'validationDepth' | 'candidates' | 'negatives' | 'validateEvery' | 'patience';

export type TrainingNumberName = Exclude<keyof TrainingOptions, ChoiceName>;

/** The options with defaults filled in, except those that depend on the examples. */
export type TrainingSettings = { readonly loss: TrainingLoss } & {
  readonly [Name in Exclude<ChoiceName, 'loss'>]: (typeof trainingChoices)[Name][number];
} & { readonly [Name in Exclude<TrainingNumberName, Open>]: number } & {
  readonly [Name in Open]: number | undefined;
};

/** The range of a number, and its default. */
interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
  readonly usual?: number | undefined;
}

const real = (min: number, max: number, usual: number): NumberRange => ({ min, max, isWhole: false, usual });
const whole = (min: number, max: number, usual?: number): NumberRange => ({ min, max, isWhole: true, usual });

/** The numeric options. */
export const trainingNumbers: Readonly<Record<TrainingNumberName, NumberRange>> = {
  epochs: real(1e-6, 1e6, 2),
  steps: whole(1, 1e9),
  batch: whole(1, 1e6, 32),
  learningRate: real(1e-12, 1, 1e-6),
  warmup: real(0, 1, 0.1),
  maxLength: whole(16, 1e5, DEFAULT_MAX_LENGTH),
  dropout: real(0, 0.9, 0.1),
  seed: whole(0, 2 ** 32, 1),
  groupSize: whole(2, 1000, 8),
  lossAlpha: real(0, 1, 0.3),
  lossBeta: real(0, 1, DEFAULTS.beta),
  depth: whole(1, 1e6, DEFAULTS.depth),
  validationDepth: whole(1, 1e6),
  candidates: whole(1, 1e6),
  negatives: whole(1, 1e6),
  teacherWeight: real(0, 1, 0.5),
  maskedShare: real(0.001, 0.9, 0.15),
  passageWords: whole(1, 1e5, DEFAULTS.passageWords),
  titleWords: whole(0, 1e5, DEFAULTS.titleWords),
  validateEvery: whole(1, 1e9),
  patience: whole(1, 1e6),
  saveEvery: whole(1, 1e9, 200),
  batchTokens: whole(1, 1e8, 2048),
  threads: whole(1, 1024, availableParallelism()),
};

const optionNames = Object.keys({
  ...trainingChoices,
  ...trainingNumbers,
}) as readonly (keyof TrainingOptions)[];

const sampled = ['pointwise', 'pairwise', 'listwise'] as const;

/** The losses of options that not every loss has. */
const lossesOf: Readonly<Partial<Record<keyof TrainingOptions, readonly TrainingLoss[]>>> = {
  groupSize: ['listwise', 'residual', 'distilled'],
  maskedShare: ['masked'],
  depth: trainingChoices.loss,
  validationDepth: trainingChoices.loss,
  passageWords: trainingChoices.loss,
  titleWords: trainingChoices.loss,
  lossAlpha: ['residual'],
  lossBeta: ['residual'],
  // The residual loss draws candidates again in every epoch, and has no teacher.
  candidates: sampled,
  negatives: sampled,
  teacherWeight: sampled,
};

/** The defaults on CUDA that differ: a step of L and 32 sequences of 384 tokens is one micro-batch. */
const cudaDefaults: TrainingOptions = { batchTokens: 16_384 };

const defaultsOf: Readonly<Partial<Record<TrainingLoss, TrainingOptions>>> = {
  residual: { groupSize: 24, batch: 96 },
  distilled: { batch: 256, learningRate: 1e-4 },
  masked: { batch: 256, learningRate: 1e-4 },
};

/** True for an option that a training with this loss has. */
export function hasOption(loss: TrainingLoss, option: string): boolean {
  return lossesOf[option as keyof TrainingOptions]?.includes(loss) ?? true;
}

/** The names of all options, or of those that a training on a file with this loss has. */
export function trainingOptionsOf(
  only?: Exclude<TrainingLoss, LossName>,
): readonly (keyof TrainingOptions)[] {
  return only ? optionNames.filter((name) => name !== 'loss' && hasOption(only, name)) : optionNames;
}

/** An option that conflicts with the others, and the reason; undefined without a conflict. */
export function conflictOf(
  options: TrainingOptions,
  loss: TrainingLoss = options.loss ?? trainingChoices.loss[0],
): { readonly option: keyof TrainingOptions; readonly reason: string } | undefined {
  const { epochs, steps } = options;
  if (epochs !== undefined && steps !== undefined) {
    return { option: 'epochs', reason: 'epochs and steps exclude each other; give one of them' };
  }
  if (options.keep === 'last' && options.patience !== undefined) {
    return {
      option: 'patience',
      reason: 'patience waits for better weights; with keep: last none are chosen',
    };
  }
  for (const [name, owners] of Object.entries(lossesOf)) {
    const option = name as keyof TrainingOptions;
    if (options[option] === undefined || owners.includes(loss)) continue;
    const judged = owners.filter(isLossName);
    const possible = isLossName(loss) && judged.length > 0 ? judged : owners;
    return { option, reason: `${name} belongs to the loss ${possible.join(' or ')}, not to ${loss}` };
  }
  return undefined;
}

/** The precisions that a training may have, the default first. */
function precisionsOf(device: Device, loss: TrainingLoss): readonly TrainingPrecision[] {
  if (device !== 'cuda') return ['fp32'];
  // The residual loss is computed outside of the graphs, where its gradients would need 32 bits.
  return loss === 'residual' ? ['tf32'] : ['fp16', 'tf32'];
}

/** Checks the options and fills in the defaults; a training that has one loss names it. */
export function trainingSettings(
  options: TrainingOptions = {},
  only?: Exclude<TrainingLoss, LossName>,
): TrainingSettings {
  refuseUnknownTrainingOptions(options);
  if (only && options.loss !== undefined) throw usage(`its loss is ${only}; leave loss out`);
  const words = Object.entries(trainingChoices).map(([name, known]: [string, readonly string[]]) => {
    const word = options[name as ChoiceName] ?? known[0];
    if (known.includes(word)) return [name, word];
    throw usage(`${name} must be one of ${known.join(', ')}, not ${JSON.stringify(word)}`);
  });
  const chosen = Object.fromEntries(words) as Pick<TrainingSettings, ChoiceName>;
  const { device } = chosen;
  const loss = only ?? chosen.loss;
  const possible = precisionsOf(device, loss);
  const { precision = possible[0] } = options;
  if (!possible.includes(precision)) {
    const which = device === 'cuda' && precision === 'fp16' ? `the loss ${loss}` : device;
    throw usage(`precision ${precision} is not for ${which}; use ${possible.join(' or ')}`);
  }
  const conflict = conflictOf(options, loss);
  if (conflict) throw usage(conflict.reason);
  const defaults: TrainingOptions = { ...defaultsOf[loss], ...(device === 'cuda' && cudaDefaults) };
  const numbers = Object.entries(trainingNumbers).map(([name, { usual }]) => {
    const option = name as TrainingNumberName;
    const value = options[option] ?? defaults[option] ?? usual;
    if (value !== undefined) checkNumber(option, value);
    return [name, value];
  });
  const settings = { ...chosen, loss, precision, ...Object.fromEntries(numbers) } as TrainingSettings;
  if (hasOption(loss, 'groupSize')) return settings;
  return { ...settings, groupSize: loss === 'pairwise' ? 2 : 1 };
}

/** Throws where an option is none of training. */
export function refuseUnknownTrainingOptions(options: object): void {
  const known = Object.fromEntries(optionNames.map((name) => [name, true] as const));
  refuseUnknownOptions('Training', options, known);
}

/** Throws where the value of a numeric option is out of its range. */
export function checkNumber(name: TrainingNumberName, value: number): void {
  const { min, max, isWhole } = trainingNumbers[name];
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return;
  const kind = isWhole ? 'a whole number' : 'a number';
  throw usage(`${name} must be ${kind} from ${min} to ${max}, not ${String(value)}`);
}

function isLossName(loss: TrainingLoss): loss is LossName {
  return (trainingChoices.loss as readonly TrainingLoss[]).includes(loss);
}

function usage(message: string): BertQeError {
  return usageError(`Training: ${message}.`);
}
