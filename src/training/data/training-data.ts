import type { StepOutcome } from '../engine/training-engine.js';
import type { TrainingBatch } from '../engine/micro-batch.js';
import type { TrainingWorker } from '../engine/training-worker.js';
import { Random } from '../random.js';
import type { TrainingSettings } from '../settings.js';

/** The number of training queries and of their relevant and other examples. */
export interface ExampleCounts {
  readonly queries: number;
  readonly relevant: number;
  readonly others: number;
}

/** The data of a training. A step's batch depends on the step's number and the seed alone. */
export interface TrainingData<Counts = ExampleCounts> {
  /** Groups of examples in an epoch; 0 where there is nothing to learn from. */
  readonly groups: number;
  readonly examplesPerStep: number;
  readonly counts: Counts;
  stepsIn(epochs: number): number;
  /** Trains on the batches of steps, `first` and those behind it, counted from 0, up to the first that is not finite. */
  steps(worker: TrainingWorker, first: number, rates: readonly number[]): Promise<StepOutcome[]>;
}

/** Micro-batches whose losses add up to a loss, and what that is at least: the entropy of the targets. */
export interface ValidationBatches {
  readonly batches: readonly TrainingBatch[];
  readonly least: number;
}

/** The steps of data whose batches do not depend on the model. Their losses are told without the least possible. */
export function stepsOf(batchesOf: (step: number) => ValidationBatches): TrainingData['steps'] {
  return async (worker, first, rates) => {
    const made = rates.map((_, i) => batchesOf(first + i));
    const outcomes = await worker.call(
      'steps',
      rates.map((learningRate, i) => ({ number: first + i, learningRate, batches: made[i].batches })),
    );
    return outcomes.map(({ loss, gradientNorm }, i) => ({ loss: loss - made[i].least, gradientNorm }));
  };
}

/** The batches of all steps. A batch consists of groups, and every epoch has its own random order of all groups. */
export class BatchSampler<Group> {
  readonly groupsPerStep: number;
  /** Groups in an epoch. Epochs may differ in the content of groups, not in their number. */
  readonly groups: number;
  #epoch: { readonly number: number; readonly groups: readonly Group[] } | undefined;

  constructor(
    /** The groups of an epoch, counted from 0. */
    private readonly groupsOf: (epoch: number) => Group[],
    private readonly settings: Pick<TrainingSettings, 'batch' | 'groupSize' | 'seed'>,
    /** Names the random order of the groups. */
    private readonly order = 'order',
  ) {
    this.groupsPerStep = Math.max(1, Math.floor(settings.batch / settings.groupSize));
    this.groups = groupsOf(0).length;
  }

  /** The data that consist of these batches. */
  data<Counts>(counts: Counts, steps: TrainingData['steps']): TrainingData<Counts> {
    const examplesPerStep = this.groupsPerStep * this.settings.groupSize;
    const stepsIn = (epochs: number) => this.stepsIn(epochs);
    return { groups: this.groups, examplesPerStep, counts, stepsIn, steps };
  }

  stepsIn(epochs: number): number {
    return Math.max(1, Math.floor((epochs * this.groups) / this.groupsPerStep));
  }

  /** The groups of a step, counted from 0. */
  batch(step: number): Group[] {
    return Array.from({ length: this.groupsPerStep }, (_, i) => {
      const place = step * this.groupsPerStep + i;
      return this.#inEpoch(Math.floor(place / this.groups))[place % this.groups];
    });
  }

  #inEpoch(number: number): readonly Group[] {
    if (this.#epoch?.number !== number) {
      const groups = new Random(this.order, this.settings.seed, number).shuffle(this.groupsOf(number));
      this.#epoch = { number, groups };
    }
    return this.#epoch.groups;
  }
}
