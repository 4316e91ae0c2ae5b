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
import type { RerankingSystem } from './systems.js';
import { type TrainingTarget, trainingTargets } from './training-targets.js';

/** A model that was fine-tuned for one fold. */
export interface TrainedFold extends Pick<TrainingManifest, 'examples' | 'steps' | 'best'> {
  readonly size: SizeLetter;
  /** Name of the training target. */
  readonly use: string;
  /** From 1. */
  readonly fold: number;
  readonly folder: string;
  readonly history: History;
}

/** A model whose scores are mixed into the targets of training. */
export interface Teacher {
  readonly folder: string;
  readonly scorer: Scorer;
}

/**
 * Fine-tunes every training target in every fold, on the fold's training queries; the best weights are chosen on its
 * validation queries. The models that training starts from choose best passages and chunks, as in ranking. With
 * `teacherWeight` and without a teacher, the model that training starts from is its own teacher.
 */
export async function trainFolds(
  training: TrainingFields,
  systems: readonly RerankingSystem[],
  context: CrossValidationContext,
  teacher?: Teacher,
): Promise<TrainedFold[]> {
  const { on, ...options } = training;
  const trained: TrainedFold[] = [];
  for (const target of trainingTargets(on, systems, context.experiment)) {
    for (let fold = 1; fold <= context.folds.length; fold++) {
      trained.push(await trainFold(options, target, fold, context, teacher));
    }
  }
  return trained;
}

async function trainFold(
  training: Omit<TrainingFields, 'on'>,
  { name: use, size, phaseThree: targetPhaseThree }: TrainingTarget,
  fold: number,
  context: CrossValidationContext,
  givenTeacher: Teacher | undefined,
): Promise<TrainedFold> {
  const { experiment, folds, queries, qrels, initial, models, manifest, tracker } = context;
  const { train, valid } = folds[fold - 1];
  const scorers = new Map<string, Scorer>();
  // Their scores are stored: other folds and systems asked about the same passages and chunks.
  const untrained = async (letter: SizeLetter): Promise<Teacher> => {
    const { folder } = await models.find(letter, 'general', fold);
    const scorer = await models.get(letter, 'general', fold);
    scorers.set(folder, scorer);
    return { folder, scorer };
  };
  const base = await untrained(size);
  const model = base.folder;
  const teacher = training.teacherWeight === undefined ? undefined : (givenTeacher ?? base);
  if (teacher) scorers.set(teacher.folder, teacher.scorer);
  const phaseThree = targetPhaseThree && {
    ...targetPhaseThree,
    phaseOne: (await untrained(targetPhaseThree.phaseOne)).folder,
    phaseTwo: (await untrained(targetPhaseThree.phaseTwo)).folder,
  };
  const { passageWords, titleWords } = experiment.method;
  // As published, training uses everything that was retrieved; validation uses what will be re-ranked.
  const depth = training.depth ?? (phaseThree ? experiment.depth : experiment.retrieve);
  const options = { ...training, depth, validationDepth: experiment.depth, passageWords, titleWords };
  const ranked = [...train, ...valid].map((query) => [
    query,
    queries.get(query)!.text,
    (initial.get(query) ?? [])
      .slice(0, Math.max(depth, experiment.depth))
      // Phase three is validated by the final score, of which the initial score is part.
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
    // They change the scores of the models that choose passages and teach.
    ...(['device', 'precision'] as const).map((name) => experiment[name]).filter((value) => value !== 'auto'),
    ...(givenTeacher && teacher ? [await hashModel(givenTeacher.folder)] : []),
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
  // The name holds a hash of the inputs, so that models of other settings are kept beside it.
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
    // A folder that is neither unfinished nor complete was changed by others.
    const isUnfinished = existsSync(join(folder, 'checkpoints'));
    if (!isUnfinished && !(await isTrained(folder))) await rm(folder, { recursive: true, force: true });
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

/** The scorer without its close: its owner closes it. */
function borrowed(scorer: Scorer): Scorer {
  return { score: (pairs, options) => scorer.score(pairs, options), close: async () => undefined };
}
