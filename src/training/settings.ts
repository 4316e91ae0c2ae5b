import { availableParallelism } from 'node:os';
import { DEFAULT_MAX_LENGTH, type Device, deviceNames } from '../bert/index.js';
import { BertQeError } from '../common/errors.js';
import { refuseUnknownOptions } from '../common/known-options.js';
import { DEFAULTS } from '../expansion/index.js';
import type { TrainingPrecision } from './engine/index.js';
import type { Optimiser } from './graph/index.js';

/** The losses of training on judged queries. */
export const lossNames = ['pointwise', 'pairwise', 'listwise', 'residual'] as const;
export type LossName = (typeof lossNames)[number];

/** All losses: besides, those of stored scores and of masked tokens, whose trainings have one loss each. */
export type TrainingLoss = LossName | 'distilled' | 'masked';

/**
 * The courses of the learning rate. `linear` rises from the first step and falls from its peak, reached after the warm-up,
 * to 0. `bert` is that of BERT's own code, and so the authors': the warm-up starts at 0, and then the rate is what a fall
 * from the first step on would have left of the peak. `plateau` stays at its peak up to 35 % of the steps.
 */
export const scheduleNames = ['linear', 'bert', 'plateau'] as const;
export type ScheduleName = (typeof scheduleNames)[number];

/** The optimisers: Adam, or Muon for the matrices of the layers and Adam for all else. */
export const optimiserNames = ['adam', 'muon'] as const satisfies readonly Optimiser[];

/** The weights that a training keeps. */
export const keptWeights = ['best', 'last'] as const;
export type KeptWeights = (typeof keptWeights)[number];

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

export const trainingPrecisions = ['fp32', 'tf32', 'fp16'] as const satisfies readonly TrainingPrecision[];

/** The settings of the authors' training that differ from the defaults. */
export const PUBLISHED_TRAINING = { schedule: 'bert', keep: 'last' } as const satisfies TrainingOptions;

/** Options that have no default, or one that depends on the examples. */
type Open = 'steps' | 'validationDepth' | 'candidates' | 'negatives' | 'validateEvery' | 'patience';

interface Choices {
  readonly loss: TrainingLoss;
  readonly device: Device;
  readonly precision: TrainingPrecision;
  readonly schedule: ScheduleName;
  readonly optimiser: Optimiser;
  readonly keep: KeptWeights;
}

type NumberName = Exclude<keyof TrainingOptions, keyof Choices>;

/** The options with defaults filled in, except those that depend on the examples. */
export type TrainingSettings = Choices & {
  readonly [Name in Exclude<NumberName, Open>]: number;
} & { readonly [Name in Open]: number | undefined };

/** Default, least and largest value of each option, and whether it must be a whole number. */
const numbers: Readonly<
  Record<NumberName, readonly [otherwise: number | undefined, least: number, most: number, whole: boolean]>
> = {
  epochs: [2, 1e-6, 1e6, false],
  steps: [undefined, 1, 1e9, true],
  batch: [32, 1, 1e6, true],
  learningRate: [1e-6, 1e-12, 1, false],
  warmup: [0.1, 0, 1, false],
  maxLength: [DEFAULT_MAX_LENGTH, 16, 1e5, true],
  dropout: [0.1, 0, 0.9, false],
  seed: [1, 0, 2 ** 32, true],
  groupSize: [8, 2, 1000, true],
  lossAlpha: [0.3, 0, 1, false],
  lossBeta: [DEFAULTS.beta, 0, 1, false],
  depth: [DEFAULTS.depth, 1, 1e6, true],
  validationDepth: [undefined, 1, 1e6, true],
  candidates: [undefined, 1, 1e6, true],
  negatives: [undefined, 1, 1e6, true],
  teacherWeight: [0.5, 0, 1, false],
  maskedShare: [0.15, 0.001, 0.9, false],
  passageWords: [DEFAULTS.passageWords, 1, 1e5, true],
  titleWords: [DEFAULTS.titleWords, 0, 1e5, true],
  validateEvery: [undefined, 1, 1e9, true],
  patience: [undefined, 1, 1e6, true],
  saveEvery: [200, 1, 1e9, true],
  batchTokens: [2048, 1, 1e8, true],
  threads: [availableParallelism(), 1, 1024, true],
};

export const trainingOptionNames = [
  'loss',
  'device',
  'precision',
  'schedule',
  'optimiser',
  'keep',
  ...(Object.keys(numbers) as (keyof typeof numbers)[]),
] as const satisfies readonly (keyof TrainingOptions)[];

const DEFAULT_LOSS: LossName = 'pointwise';

const sampled = ['pointwise', 'pairwise', 'listwise'] as const;

/** The losses of options that not every loss has. */
const lossesOf: Readonly<Partial<Record<keyof TrainingOptions, readonly TrainingLoss[]>>> = {
  groupSize: ['listwise', 'residual', 'distilled'],
  maskedShare: ['masked'],
  depth: lossNames,
  validationDepth: lossNames,
  passageWords: lossNames,
  titleWords: lossNames,
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

/** An option that conflicts with the others, and the reason; undefined without a conflict. */
export function conflictOf(
  options: { readonly [K in keyof TrainingOptions]?: TrainingOptions[K] | undefined },
  loss: TrainingLoss = options.loss ?? DEFAULT_LOSS,
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
  const { device = 'cpu', schedule = 'linear', optimiser = 'adam', keep = 'best' } = options;
  const loss = only ?? options.loss ?? DEFAULT_LOSS;
  if (!only) requireOneOf('loss', lossNames, loss);
  else if (options.loss !== undefined) throw usage(`its loss is ${only}; leave loss out`);
  requireOneOf('device', deviceNames, device);
  requireOneOf('schedule', scheduleNames, schedule);
  requireOneOf('optimiser', optimiserNames, optimiser);
  requireOneOf('keep', keptWeights, keep);
  const possible = precisionsOf(device, loss);
  const precision = options.precision ?? possible[0];
  requireOneOf('precision', trainingPrecisions, precision);
  if (!possible.includes(precision)) {
    const which = device === 'cuda' && precision === 'fp16' ? `the loss ${loss}` : device;
    throw usage(`precision ${precision} is not for ${which}; use ${possible.join(' or ')}`);
  }
  const conflict = conflictOf(options, loss);
  if (conflict) throw usage(conflict.reason);
  const defaults: TrainingOptions = {
    ...defaultsOf[loss],
    ...(device === 'cuda' && cudaDefaults),
  };
  const entries = Object.entries(numbers).map(([name, [otherwise]]) => {
    const option = name as NumberName;
    const value = options[option] ?? defaults[option] ?? otherwise;
    if (value !== undefined) checkNumber(option, value);
    return [name, value];
  });
  const choices: Choices = { loss, device, precision, schedule, optimiser, keep };
  const settings = { ...choices, ...Object.fromEntries(entries) } as TrainingSettings;
  if (hasOption(loss, 'groupSize')) return settings;
  return { ...settings, groupSize: loss === 'pairwise' ? 2 : 1 };
}

/** Throws where an option is none of training. */
export function refuseUnknownTrainingOptions(options: object): void {
  const known = Object.fromEntries(trainingOptionNames.map((name) => [name, true] as const));
  refuseUnknownOptions('Training', options, known);
}

/** Throws where the value of a numeric option is out of its range. */
export function checkNumber(name: NumberName, value: number): void {
  const [, least, most, whole] = numbers[name];
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return;
  const kind = whole ? 'a whole number' : 'a number';
  throw usage(`${name} must be ${kind} from ${least} to ${most}, not ${String(value)}`);
}

function isLossName(loss: TrainingLoss): loss is LossName {
  return (lossNames as readonly TrainingLoss[]).includes(loss);
}

function requireOneOf(name: string, choices: readonly string[], value: string): void {
  if (choices.includes(value)) return;
  throw usage(`${name} must be one of ${choices.join(', ')}, not ${JSON.stringify(value)}`);
}

function usage(message: string): BertQeError {
  return new BertQeError('usage', `Training: ${message}.`);
}
