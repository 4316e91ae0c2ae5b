import { BertScorer, findModel, type Scorer } from '../bert/index.js';
import { BertQeError } from '../common/errors.js';
import type { ChosenModels, ModelChoice, ModelOptions } from './choose-models.js';
import type { BertQEScorers } from './models.js';
import { phases, type Phase } from './phases.js';

/** Scorers by phase. `loaded` are those that were loaded here and must be closed. */
export interface LoadedModels {
  readonly scorers: BertQEScorers;
  readonly loaded: readonly BertScorer[];
}

/** Loads each model once, however many phases and spellings name it. */
export async function loadModels(
  { models, expansion }: ChosenModels,
  device: ModelOptions['device'] = 'auto',
  precision: ModelOptions['precision'] = 'auto',
): Promise<LoadedModels> {
  const byFolder = new Map<string, BertScorer>();
  const load = async (choice: ModelChoice): Promise<Scorer> => {
    if (typeof choice !== 'string') return checkedScorer(choice);
    const folder = await findModel(choice);
    const known = byFolder.get(folder);
    if (known) return known;
    const scorer = await BertScorer.load({ model: folder, device, precision });
    byFolder.set(folder, scorer);
    return scorer;
  };
  const needed = expansion ? phases : (['bestPassage', 'phaseOne'] as const);
  const scorers: Partial<Record<Phase, Scorer>> = {};
  try {
    for (const phase of needed) scorers[phase] = await load(models[phase]);
  } catch (error) {
    await Promise.all([...byFolder.values()].map((scorer) => scorer.close()));
    throw error;
  }
  return {
    scorers: { ...scorers, phaseOne: scorers.phaseOne! },
    loaded: [...byFolder.values()],
  };
}

/** Checks a scorer that was handed in instead of a name. */
function checkedScorer(choice: Scorer): Scorer {
  if (typeof (choice as Partial<Scorer> | undefined)?.score === 'function') return choice;
  throw new BertQeError(
    'usage',
    `BERT-QE: a model is a letter, a name, a folder or a scorer with a method score, not ${String(choice)}.`,
  );
}
