import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Scorer, SizeLetter } from '../bert/index.js';
import type { Query } from '../collection/index.js';
import { type History, isTrained, type TrainingManifest, trainModel } from '../training/index.js';
import type { CrossValidationContext } from './cross-validate.js';
import type { TrainingFields } from './file/schema.js';
import type { Reranker } from './systems.js';
import { keyOf } from './work/digests.js';

/** A model that was fine-tuned for one fold. */
export interface TrainedFold extends Pick<TrainingManifest, 'examples' | 'steps' | 'best'> {
  readonly size: SizeLetter;
  /** From 1. */
  readonly fold: number;
  readonly folder: string;
  readonly history: History;
}

/** A model whose scores are mixed into what is learned. */
export interface Teacher {
  readonly folder: string;
  readonly scorer: Scorer;
}

/**
 * Fine-tunes, fold by fold, every size that scores documents, on the fold's training queries; the best weights are
 * chosen on its validation queries. Best passages are chosen by the model that training starts from, as when ranking.
 * With `teacherWeight`, and no teacher named, that model is the teacher too: judgements are few, and what it knew is
 * worth keeping.
 */
export async function trainFolds(
  training: TrainingFields,
  systems: readonly Reranker[],
  context: CrossValidationContext,
  teacher?: Teacher,
): Promise<TrainedFold[]> {
  const sizes = new Set(
    systems.flatMap(({ variant: { phaseOne, expansion } }) =>
      expansion ? [phaseOne, expansion.phaseThree] : [phaseOne],
    ),
  );
  const trained: TrainedFold[] = [];
  for (const size of sizes) {
    for (let fold = 1; fold <= context.folds.length; fold++) {
      trained.push(await trainFold(training, size, fold, context, teacher));
    }
  }
  return trained;
}

async function trainFold(
  training: TrainingFields,
  size: SizeLetter,
  fold: number,
  context: CrossValidationContext,
  named: Teacher | undefined,
): Promise<TrainedFold> {
  const { experiment, folds, queries, qrels, initial, models, manifest, tracker } = context;
  const { train, valid } = folds[fold - 1];
  const { folder: model } = await models.find(size, 'general', fold);
  const general: Teacher = { folder: model, scorer: await models.get(size, 'general', fold) };
  const teacher = training.teacherWeight === undefined ? undefined : (named ?? general);
  const { passageWords, titleWords } = experiment.method;
  // All that was retrieved can be learned from, as published; what is validated is what will be re-ranked.
  const depth = training.depth ?? experiment.retrieve;
  const options = { ...training, depth, validationDepth: experiment.depth, passageWords, titleWords };
  const ranked = [...train, ...valid].map((query) => [
    query,
    queries.get(query)!.text,
    (initial.get(query) ?? []).slice(0, Math.max(depth, experiment.depth)).map(({ id }) => id),
    [...(qrels.get(query) ?? [])],
  ]);
  const inputs = [
    'training 1',
    await models.digest(model),
    options,
    train,
    valid,
    ranked,
    context.documentsKey,
    // What chose the passages and taught; as it comes, it is the same for all.
    ...(['device', 'precision'] as const).map((name) => experiment[name]).filter((value) => value !== 'auto'),
    ...(named && teacher ? [await models.digest(named.folder)] : []),
  ];
  // Named for what it is made from: work for other settings neither is in the way nor gets lost.
  const folder = join(manifest.folder, 'work', 'models', `${size}-fold${fold}-${keyOf(inputs).slice(0, 12)}`);
  const name = `train ${size}, fold ${fold}`;
  const outputs = ['model.safetensors', 'config.json'].map((file) =>
    relative(manifest.folder, join(folder, file)),
  );
  const textsOf = (ids: readonly string[]): Query[] => ids.map((id) => queries.get(id)!);
  const made = await manifest.run({ name, inputs, outputs }, async () => {
    // What is neither under way nor whole was tampered with.
    const isUnderWay = existsSync(join(folder, 'checkpoints'));
    if (!isUnderWay && !(await isTrained(folder))) await rm(folder, { recursive: true, force: true });
    const { examples, steps, best, history } = await trainModel(
      {
        model,
        teacher: teacher?.folder,
        queries: textsOf(train.filter((id) => qrels.has(id))),
        validationQueries: textsOf(valid),
        qrels,
        run: initial,
        documents: context.documents,
        documentsKey: context.documentsKey,
        label: `fold ${fold}`,
      },
      { ...options, device: experiment.device === 'auto' ? 'cpu' : experiment.device },
      {
        out: folder,
        resume: true,
        signal: tracker.signal,
        // A query is learned from in several folds: what was said of its passages once is remembered.
        openScorer: (folder) => borrowed(folder === model ? general.scorer : teacher!.scorer),
        onProgress: (progress) =>
          progress.phase === 'passages'
            ? tracker.update(`best passages for ${name}`, progress.done, progress.total)
            : tracker.update(name, progress.step, progress.steps),
      },
    );
    return { examples, steps, best, history };
  });
  models.useTrained(size, fold, folder);
  return { size, fold, folder, ...made };
}

/** The scorer is its owner's to close. */
function borrowed(scorer: Scorer): Scorer {
  return { score: (pairs, options) => scorer.score(pairs, options), close: async () => undefined };
}
