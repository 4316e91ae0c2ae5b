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
  /** Mean of the validation measure over the queries. */
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
export function bestOf(validations: readonly ValidationRecord[]): ValidationRecord | undefined {
  return validations.reduce<ValidationRecord | undefined>(
    (best, one) => (best === undefined || one.value > best.value ? one : best),
    undefined,
  );
}
