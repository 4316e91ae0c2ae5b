import type { Scorer } from '../bert/index.js';
import { BertQeError } from '../common/errors.js';
import type { ChosenModels, ModelChoice } from './choose-models.js';
import type { BertQEScorers } from './models.js';
import { phases, type Phase } from './phases.js';

/** Scorers by phase. `loaded` are those that were loaded here and must be closed. */
export interface LoadedModels<Loaded extends Scorer> {
  readonly scorers: BertQEScorers;
  readonly loaded: readonly Loaded[];
}

/** The way to named models: from folders, or over HTTP. */
export interface ModelLoader<Loaded extends Scorer> {
  /** The place of a model; names of the same model have the same one. */
  find(name: string): Promise<string>;
  load(place: string): Promise<Loaded>;
}

/** Loads each model once, however many phases and spellings name it. */
export async function loadModels<Loaded extends Scorer>(
  { models, expansion }: ChosenModels,
  loader: ModelLoader<Loaded>,
): Promise<LoadedModels<Loaded>> {
  const byPlace = new Map<string, Promise<Loaded>>();
  const load = async (choice: ModelChoice): Promise<Scorer> => {
    if (typeof choice !== 'string') return checkedScorer(choice);
    const place = await loader.find(choice);
    const loading = byPlace.get(place) ?? loader.load(place);
    byPlace.set(place, loading);
    return loading;
  };
  const needed = expansion ? phases : (['bestPassage', 'phaseOne'] as const);
  const finding = needed.map(async (phase) => [phase, await load(models[phase])] as const);
  await Promise.allSettled(finding);
  const loaded = (await Promise.allSettled(byPlace.values())).flatMap((result) =>
    result.status === 'fulfilled' ? [result.value] : [],
  );
  try {
    const scorers = Object.fromEntries(await Promise.all(finding)) as Record<Phase, Scorer>;
    return { scorers, loaded };
  } catch (error) {
    await Promise.all(loaded.map((scorer) => scorer.close()));
    throw error;
  }
}

/** Checks a scorer that was handed in instead of a name. */
function checkedScorer(choice: Scorer): Scorer {
  if (typeof (choice as Partial<Scorer> | undefined)?.score === 'function') return choice;
  throw new BertQeError(
    'usage',
    `BERT-QE: a model is a letter, a name, a folder or a scorer with a method score, not ${String(choice)}.`,
  );
}
