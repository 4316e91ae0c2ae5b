import type { SizeLetter } from '../bert/index.js';
import type { PhaseThreeInputs } from '../training/index.js';
import type { ExperimentFile, TrainingFields } from './file/schema.js';
import { phaseThreeOf, type Reranker } from './systems.js';

/** What a model is fine-tuned for. */
export interface TrainedUse {
  /** A size's letter, wherever it scores documents, or a variant's phase three. */
  readonly use: string;
  readonly size: SizeLetter;
  /** Where phase three alone is trained; its models by their letters. */
  readonly phaseThree?: Omit<PhaseThreeInputs, 'phaseOne' | 'phaseTwo'> & {
    readonly phaseOne: SizeLetter;
    readonly phaseTwo: SizeLetter;
  };
}

/**
 * The models to fine-tune. On chunks that is the phase three of each variant, on the chunks that its phases one and two
 * choose by the study's method; ablations and grid points of a variant use it as it is.
 */
export function usesOf(
  on: TrainingFields['on'],
  systems: readonly Reranker[],
  { method: { kd, kc, chunkWords }, depth, tuning }: ExperimentFile,
): TrainedUse[] {
  const uses = systems.flatMap(({ variant }): TrainedUse[] => {
    const { phaseOne, expansion } = variant;
    if (on !== 'chunks') {
      const sizes = expansion ? [phaseOne, expansion.phaseThree] : [phaseOne];
      return sizes.map((size) => ({ use: size, size }));
    }
    if (!expansion) return [];
    const { phaseTwo, phaseThree } = expansion;
    const combination = fixedCombination(tuning);
    return [
      {
        use: phaseThreeOf(variant),
        size: phaseThree,
        phaseThree: { phaseOne, phaseTwo, kd, kc, chunkWords, depth, ...(combination && { combination }) },
      },
    ];
  });
  return [...new Map(uses.map((one) => [one.use, one])).values()];
}

/** α and β where there is nothing to choose between; else they are chosen after training. */
export function fixedCombination({
  alphas,
  betas,
}: ExperimentFile['tuning']): { readonly alpha: number; readonly beta: number } | undefined {
  return alphas.length === 1 && betas.length === 1 ? { alpha: alphas[0], beta: betas[0] } : undefined;
}
