import type { SizeLetter } from '../bert/index.js';
import type { Fold } from '../collection/index.js';
import { BertQeError, inputError } from '../common/errors.js';
import { resolvePath } from './file/paths.js';
import type { ExperimentFile } from './file/schema.js';
import { namedFolds } from './inputs.js';
import { isScorerAddress } from '../remote/index.js';
import type { ModelPlaces, ModelRole } from './store/model-places.js';
import { type RerankingSystem, sizesOf } from './systems.js';

interface UsedModels {
  readonly systems: readonly Pick<RerankingSystem, 'variant'>[];
  readonly folds: readonly Fold[];
  readonly places: ModelPlaces;
}

/**
 * Finds every model of every fold and reads its configuration and vocabulary, so that a wrong path is named before
 * anything is indexed. Refuses fine-tuned models that were trained on queries which their fold tests.
 */
export async function checkModels(experiment: ExperimentFile, file: string, used: UsedModels): Promise<void> {
  for (const size of sizesOf(used.systems)) await checkTrainedIn(experiment, file, size, used.folds);
  for (const [size, role, fold] of usesOf(experiment, used)) await used.places.check(size, role, fold);
}

/** Unpacks the models that are archives, so that a damaged one is named before anything is indexed. */
export async function unpackModels(
  experiment: ExperimentFile,
  used: UsedModels,
  onModel: (name: string) => void,
): Promise<void> {
  for (const [size, role, fold] of usesOf(experiment, used)) {
    const { name, place } = used.places.of(size, role, fold);
    if (isScorerAddress(place)) continue;
    onModel(name);
    await used.places.folder(size, role, fold);
  }
}

/** Sizes, roles and numbers of folds that models are needed for; training makes the fine-tuned ones. */
function usesOf(
  { training }: ExperimentFile,
  { systems, folds }: UsedModels,
): [SizeLetter, ModelRole, number][] {
  const roles: ModelRole[] = typeof training === 'object' ? ['general'] : ['general', 'fineTuned'];
  return [...sizesOf(systems)].flatMap((size) =>
    roles.flatMap((role) =>
      [...folds.keys()].map((fold): [SizeLetter, ModelRole, number] => [size, role, fold + 1]),
    ),
  );
}

/** Throws where a query that a fold tests was in the training or validation part of the models' fold of that number. */
async function checkTrainedIn(
  { models }: ExperimentFile,
  file: string,
  size: SizeLetter,
  folds: readonly Fold[],
): Promise<void> {
  const model = models[size];
  if (typeof model !== 'object' || model.trainedIn === undefined) return;
  const trained = await namedFolds(model.trainedIn, (path) => resolvePath(file, path));
  const problem = (what: string): BertQeError =>
    inputError(`${file}: models.${size}: ${what}; give "folds" the folds of the models.`);
  if (trained.length !== folds.length) {
    throw problem(`they were trained in ${trained.length} folds, but the experiment has ${folds.length}`);
  }
  for (const [i, { test }] of folds.entries()) {
    const seen = new Set([...trained[i].train, ...trained[i].valid]);
    const leaked = test.filter((query) => seen.has(query));
    if (leaked.length === 0) continue;
    throw problem(
      `fold ${i + 1} tests ${leaked.length} of its ${test.length} queries (${leaked[0]}, …) with a model that was trained or ` +
        'validated on them',
    );
  }
}
