/** The measure by which rankings of validation queries choose the best weights. */
export const validationMeasure = 'nDCG@20';
/** The measure of trainings without rankings, of which less is better. */
export const lossMeasure = 'validation loss';

export type Measure = typeof validationMeasure | typeof lossMeasure;

/** The record of a step. */
export interface StepRecord {
  /** From 1. */
  readonly step: number;
  readonly loss: number;
  readonly learningRate: number;
  /** The norm of the gradient before clipping. */
  readonly gradientNorm: number;
}

/** The record of a validation. */
export interface ValidationRecord {
  /** Steps before it. */
  readonly step: number;
  /** The mean of the validation measure over the queries, or the validation loss. */
  readonly value: number;
}

/** The history of a training. */
export interface History {
  readonly steps: readonly StepRecord[];
  readonly validations: readonly ValidationRecord[];
}

/** At most `count` records: means over stretches of equal length. */
export function thinned(steps: readonly StepRecord[], count: number): StepRecord[] {
  const length = Math.ceil(steps.length / count);
  if (length <= 1) return [...steps];
  return Array.from({ length: Math.ceil(steps.length / length) }, (_, i) => {
    const stretch = steps.slice(i * length, (i + 1) * length);
    const mean = (of: (record: StepRecord) => number): number =>
      stretch.reduce((sum, record) => sum + of(record), 0) / stretch.length;
    return {
      step: stretch.at(-1)!.step,
      loss: mean(({ loss }) => loss),
      learningRate: mean(({ learningRate }) => learningRate),
      gradientNorm: mean(({ gradientNorm }) => gradientNorm),
    };
  });
}

/** The first of the best validations. */
export function bestOf(
  validations: readonly ValidationRecord[],
  measure: Measure = validationMeasure,
): ValidationRecord | undefined {
  const isBetter = (a: number, b: number) => (measure === lossMeasure ? a < b : a > b);
  return validations.reduce<ValidationRecord | undefined>(
    (best, one) => (best === undefined || isBetter(one.value, best.value) ? one : best),
    undefined,
  );
}
