import type { Device, ModelConfig } from '../../bert/index.js';
import type { LossKind, Optimiser } from '../graph/index.js';
import type { MicroBatch, TrainingBatch } from './micro-batch.js';

export type TrainingPrecision = 'fp32' | 'tf32' | 'fp16';

/** The settings of the training of a BERT. */
export interface EngineSettings {
  readonly config: ModelConfig;
  readonly loss: LossKind;
  readonly dropout: number;
  readonly seed: number;
  /** `adam` by default. */
  readonly optimiser?: Optimiser | undefined;
  /** The device of the graphs; weights and optimiser stay in the worker's memory. */
  readonly device: Device;
  /** The numbers that passes are computed in; weights are kept in fp32. 16 bits are for CUDA (fp32). */
  readonly precision?: TrainingPrecision;
  readonly threads: number;
}

/** The loss and gradient of a step. */
export interface StepOutcome {
  readonly loss: number;
  /** The norm of the gradient before clipping. */
  readonly gradientNorm: number;
}

export interface Step<Batch = TrainingBatch> {
  /** Its number, counted from 0. */
  readonly number: number;
  readonly learningRate: number;
  /** The parts of its batch, whose losses and gradients are added up. */
  readonly batches: readonly Batch[];
}

/** A weight tensor with the two moments that Adam keeps. */
export interface TrainedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array<ArrayBuffer>;
  readonly m: Float32Array<ArrayBuffer>;
  readonly v: Float32Array<ArrayBuffer>;
}

/** A model in training. */
export interface TrainingEngine<Batch = TrainingBatch, Scored = MicroBatch | TrainingBatch> {
  readonly parameters: ReadonlyMap<string, TrainedTensor>;
  /** Updates the weights by each step in turn, and ends with the first whose loss or gradient is not finite. */
  steps(steps: readonly Step<Batch>[]): Promise<StepOutcome[]>;
  /**
   * Logits of all sequences, batch by batch, without dropout or, for the batches of a step, with the step's dropout. The
   * loss of every batch where that is what validation goes by.
   */
  score(batches: readonly Scored[], step?: number): Promise<Float32Array<ArrayBuffer>>;
  release(): Promise<void>;
}

/** True where weights and optimiser stay on the device for many steps: not with a loss that is computed outside. */
export function staysOnDevice({ device, loss }: Pick<EngineSettings, 'device' | 'loss'>): boolean {
  return device === 'cuda' && loss !== 'given';
}

/** True for a step after which training can go on. */
export function isFinite({ loss, gradientNorm }: StepOutcome): boolean {
  return Number.isFinite(loss) && Number.isFinite(gradientNorm);
}
