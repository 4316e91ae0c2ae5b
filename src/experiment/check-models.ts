import { loadTokenizer, readCrossEncoderConfig, type SizeLetter } from '../bert/index.js';
import type { Fold } from '../collection/index.js';
import { BertQeError } from '../common/errors.js';
import { resolvePath } from './file/paths.js';
import type { ExperimentFile } from './file/schema.js';
import { namedFolds } from './inputs.js';
import type { Models } from './store/models.js';
import type { RerankingSystem } from './systems.js';

/** The models of an experiment and what uses them. */
interface UsedModels {
  readonly systems: readonly Pick<RerankingSystem, 'variant'>[];
  readonly folds: readonly Fold[];
  readonly models: Models;
  /** False where the caller opens models himself: they need not be BERT in a folder. */
  readonly isRead: boolean;
}

/**
 * Finds every model of every fold and reads its configuration and vocabulary, so that a wrong path is named before
 * anything is indexed. Refuses fine-tuned models that were trained on queries which their fold tests.
 */
export async function checkModels(
  experiment: ExperimentFile,
  file: string,
  { systems, folds, models, isRead }: UsedModels,
): Promise<void> {
  const isTrained = typeof experiment.training === 'object';
  const checked = new Set<string>();
  for (const size of sizesOf(systems)) {
    await checkTrainedIn(experiment, file, size, folds);
    for (const role of ['general', ...(isTrained ? [] : ['fineTuned' as const])] as const) {
      for (const fold of folds.keys()) {
        const { folder } = await models.find(size, role, fold + 1);
        if (!isRead || checked.has(folder)) continue;
        checked.add(folder);
        await checkFolder(folder);
      }
    }
  }
}

function sizesOf(systems: readonly Pick<RerankingSystem, 'variant'>[]): Set<SizeLetter> {
  return new Set(
    systems.flatMap(({ variant: { phaseOne, expansion } }) =>
      expansion ? [phaseOne, expansion.phaseTwo, expansion.phaseThree] : [phaseOne],
    ),
  );
}

async function checkFolder(folder: string): Promise<void> {
  await readCrossEncoderConfig(folder);
  await loadTokenizer(folder);
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
    new BertQeError('input', `${file}: models.${size}: ${what}; give "folds" the folds of the models.`);
  if (trained.length !== folds.length) {
    throw problem(`they were trained in ${trained.length} folds, but the experiment has ${folds.length}`);
  }
  for (const [i, { test }] of folds.entries()) {
    const seen = new Set([...trained[i]!.train, ...trained[i]!.valid]);
    const leaked = test.filter((query) => seen.has(query));
    if (leaked.length === 0) continue;
    throw problem(
      `fold ${i + 1} tests ${leaked.length} of its ${test.length} queries (${leaked[0]}, …) with a model that was trained or ` +
        'validated on them',
    );
  }
}
