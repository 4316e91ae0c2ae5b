import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { hashModel } from '../bert/index.js';
import { hashJson } from '../common/hash.js';
import type { Scorer, SizeLetter } from '../bert/index.js';
import type { Query } from '../collection/index.js';
import { type History, isTrained, type TrainingManifest, trainModel } from '../training/index.js';
import type { CrossValidationContext } from './cross-validate.js';
import type { TrainingFields } from './file/schema.js';
import type { Reranker } from './systems.js';
import { type TrainedUse, usesOf } from './trained-uses.js';

/** A model that was fine-tuned for one fold. */
export interface TrainedFold extends Pick<TrainingManifest, 'examples' | 'steps' | 'best'> {
  readonly size: SizeLetter;
  /** What it is for: the size's letter or, where phase three alone is trained, that of a variant. */
  readonly use: string;
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
 * Fine-tunes, fold by fold, every size that scores documents, on the fold's training queries or, on chunks, every
 * variant's phase three; the best weights are chosen on its validation queries. Best passages and chunks are chosen by
 * the models that training starts from, as when ranking. With `teacherWeight`, and no teacher named, the model that
 * training starts from is the teacher too: judgements are few, and what it knew is worth keeping.
 */
export async function trainFolds(
  training: TrainingFields,
  systems: readonly Reranker[],
  context: CrossValidationContext,
  teacher?: Teacher,
): Promise<TrainedFold[]> {
  const { on, ...options } = training;
  const trained: TrainedFold[] = [];
  for (const use of usesOf(on, systems, context.experiment)) {
    for (let fold = 1; fold <= context.folds.length; fold++) {
      trained.push(await trainFold(options, use, fold, context, teacher));
    }
  }
  return trained;
}

async function trainFold(
  training: Omit<TrainingFields, 'on'>,
  { use, size, phaseThree: wanted }: TrainedUse,
  fold: number,
  context: CrossValidationContext,
  named: Teacher | undefined,
): Promise<TrainedFold> {
  const { experiment, folds, queries, qrels, initial, models, manifest, tracker } = context;
  const { train, valid } = folds[fold - 1];
  const scorers = new Map<string, Scorer>();
  // What they said of a passage or chunk, in another fold or for another system, they remember.
  const general = async (letter: SizeLetter): Promise<Teacher> => {
    const { folder } = await models.find(letter, 'general', fold);
    const scorer = await models.get(letter, 'general', fold);
    scorers.set(folder, scorer);
    return { folder, scorer };
  };
  const base = await general(size);
  const model = base.folder;
  const teacher = training.teacherWeight === undefined ? undefined : (named ?? base);
  if (teacher) scorers.set(teacher.folder, teacher.scorer);
  const phaseThree = wanted && {
    ...wanted,
    phaseOne: (await general(wanted.phaseOne)).folder,
    phaseTwo: (await general(wanted.phaseTwo)).folder,
  };
  const { passageWords, titleWords } = experiment.method;
  // All that was retrieved can be learned from, as published; what is validated is what will be re-ranked.
  const depth = training.depth ?? (phaseThree ? experiment.depth : experiment.retrieve);
  const options = { ...training, depth, validationDepth: experiment.depth, passageWords, titleWords };
  const ranked = [...train, ...valid].map((query) => [
    query,
    queries.get(query)!.text,
    (initial.get(query) ?? [])
      .slice(0, Math.max(depth, experiment.depth))
      // Phase three is validated by the final score, which the initial one is part of.
      .map(({ id, score }) => (phaseThree ? [id, score] : id)),
    [...(qrels.get(query) ?? [])],
  ]);
  const inputs = [
    'training 1',
    await hashModel(model),
    options,
    train,
    valid,
    ranked,
    context.documentsKey,
    // What chose the passages and taught; as it comes, it is the same for all.
    ...(['device', 'precision'] as const).map((name) => experiment[name]).filter((value) => value !== 'auto'),
    ...(named && teacher ? [await hashModel(named.folder)] : []),
    ...(phaseThree
      ? [
          {
            ...phaseThree,
            phaseOne: await hashModel(phaseThree.phaseOne),
            phaseTwo: await hashModel(phaseThree.phaseTwo),
          },
        ]
      : []),
  ];
  // Named for what it is made from: work for other settings neither is in the way nor gets lost.
  const folder = join(
    manifest.folder,
    'work',
    'models',
    `${use}-fold${fold}-${hashJson(inputs).slice(0, 12)}`,
  );
  const name = `train ${use}, fold ${fold}`;
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
        phaseThree,
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
        openScorer: (path) => borrowed(scorers.get(path)!),
        onProgress: (progress) =>
          progress.phase === 'passages'
            ? tracker.update(
                `best passages${phaseThree ? ' and chunks' : ''} for ${name}`,
                progress.done,
                progress.total,
              )
            : tracker.update(name, progress.step, progress.steps),
      },
    );
    return { examples, steps, best, history };
  });
  models.useTrained(use, fold, folder);
  return { size, use, fold, folder, ...made };
}

/** The scorer is its owner's to close. */
function borrowed(scorer: Scorer): Scorer {
  return { score: (pairs, options) => scorer.score(pairs, options), close: async () => undefined };
}
