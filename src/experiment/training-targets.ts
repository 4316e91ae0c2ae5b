import type { SizeLetter } from '../bert/index.js';
import type { PhaseThreeInputs } from '../training/index.js';
import type { ExperimentFile, TrainingFields } from './file/schema.js';
import { distinctBy, phaseThreeName, type RerankingSystem, scoringSizesOf } from './systems.js';

/** A use of a model that it is fine-tuned for. */
export interface TrainingTarget {
  /** A size's letter, wherever that size scores documents, or the name of a variant's phase three. */
  readonly name: string;
  readonly size: SizeLetter;
  /** Present where phase three alone is trained; models are given by their letters. */
  readonly phaseThree?: Omit<PhaseThreeInputs, 'phaseOne' | 'phaseTwo'> & {
    readonly phaseOne: SizeLetter;
    readonly phaseTwo: SizeLetter;
  };
}

/**
 * The targets of an experiment's training: the sizes that score documents or, for training on chunks, each variant's
 * phase three with the chunks that phases one and two choose. Ablations and grid points share the variant's model.
 */
export function trainingTargets(
  on: TrainingFields['on'],
  systems: readonly Pick<RerankingSystem, 'variant'>[],
  { method: { kd, kc, chunkWords }, depth, tuning }: ExperimentFile,
): TrainingTarget[] {
  if (on !== 'chunks') return [...scoringSizesOf(systems)].map((size) => ({ name: size, size }));
  const combination = fixedCombination(tuning);
  const targets = systems.flatMap(({ variant }): TrainingTarget[] => {
    const { phaseOne, expansion } = variant;
    if (!expansion) return [];
    const { phaseTwo, phaseThree } = expansion;
    return [
      {
        name: phaseThreeName(variant),
        size: phaseThree,
        phaseThree: { phaseOne, phaseTwo, kd, kc, chunkWords, depth, ...(combination && { combination }) },
      },
    ];
  });
  return distinctBy(targets, ({ name }) => name);
}

/** α and β where the file leaves no choice; else they are tuned after training. */
export function fixedCombination({
  alphas,
  betas,
}: ExperimentFile['tuning']): { readonly alpha: number; readonly beta: number } | undefined {
  return alphas.length === 1 && betas.length === 1 ? { alpha: alphas[0], beta: betas[0] } : undefined;
}
