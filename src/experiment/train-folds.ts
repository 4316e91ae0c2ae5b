import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hashModel, type Scorer, type SizeLetter } from '../bert/index.js';
import type { Query } from '../collection/index.js';
import { hashJson } from '../common/hash.js';
import {
  type History,
  isTrained,
  type PhaseThreeInputs,
  type TrainingManifest,
  trainModel,
} from '../training/index.js';
import type { CrossValidationContext } from './cross-validate.js';
import type { TrainingFields } from './file/schema.js';
import type { Manifest } from './store/manifest.js';
import type { RerankingSystem } from './systems.js';
import { type TrainingTarget, trainingTargets } from './training-targets.js';

/** A model that was fine-tuned for one fold. */
export interface TrainedFold extends Pick<TrainingManifest, 'examples' | 'steps' | 'best'> {
  readonly size: SizeLetter;
  readonly target: string;
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
  systems: readonly Pick<RerankingSystem, 'variant'>[],
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
  target: TrainingTarget,
  fold: number,
  context: CrossValidationContext,
  givenTeacher: Teacher | undefined,
): Promise<TrainedFold> {
  const { experiment, folds, queries, qrels, initial, manifest, tracker } = context;
  const { train, valid } = folds[fold - 1];
  const teachers = training.teacherWeight === undefined ? 'none' : (givenTeacher ?? 'self');
  const models = await untrainedModels(target, fold, teachers, context);
  const { model, teacher, phaseThree } = models;
  const { passageWords, titleWords } = experiment.method;
  // As published, training uses everything that was retrieved; validation uses what will be re-ranked.
  const depth = training.depth ?? (phaseThree ? experiment.depth : experiment.retrieve);
  const options = { ...training, depth, validationDepth: experiment.depth, passageWords, titleWords };
  const inputs = [
    'training 1',
    await hashModel(model),
    options,
    train,
    valid,
    candidatesOf([...train, ...valid], Math.max(depth, experiment.depth), phaseThree !== undefined, context),
    context.documentsKey,
    // They change the scores of the models that choose passages and teach.
    ...[experiment.device, experiment.precision].filter((value) => value !== 'auto'),
    ...(typeof teachers === 'object' ? [await hashModel(teachers.folder)] : []),
    ...(phaseThree ? [await hashPhaseThree(phaseThree)] : []),
  ];
  const name = `train ${target.name}, fold ${fold}`;
  const textsOf = (ids: readonly string[]): Query[] => ids.map((id) => queries.get(id)!);
  const { folder, made } = await makeModel(
    name,
    `${target.name}-fold${fold}`,
    inputs,
    manifest,
    async (out) => {
      const { examples, steps, best, history } = await trainModel(
        {
          model,
          teacher,
          phaseThree,
          queries: textsOf(train.filter((id) => qrels.has(id))),
          // The last weights need no validation, unless the file asks for its values.
          validationQueries:
            options.keep === 'last' && options.validateEvery === undefined ? undefined : textsOf(valid),
          qrels,
          run: initial,
          documents: context.documents,
          documentsKey: context.documentsKey,
          label: `fold ${fold}`,
        },
        { ...options, device: experiment.device === 'auto' ? 'cpu' : experiment.device },
        {
          out,
          resume: true,
          signal: tracker.signal,
          openScorer: (path) => borrowed(models.scorers.get(path)!),
          onProgress: (progress) => {
            const passages = `best passages${phaseThree ? ' and chunks' : ''} for ${name}`;
            if (progress.phase === 'passages') tracker.update(passages, progress.done, progress.total);
            else tracker.update(name, progress.step, progress.steps);
          },
        },
      );
      return { examples, steps, best, history };
    },
  );
  context.models.useTrained(target.name, fold, folder);
  return { size: target.size, target: target.name, fold, folder, ...made };
}

/**
 * The folder of a model that a step of the manifest trains, and the result of the step. The folder's name holds a hash of
 * the inputs, so that models of other settings are kept beside it.
 */
export async function makeModel<Made>(
  name: string,
  id: string,
  inputs: readonly unknown[],
  manifest: Manifest,
  train: (folder: string) => Promise<Made>,
): Promise<{ readonly folder: string; readonly made: Made }> {
  const path = join('work', 'models', `${id}-${hashJson(inputs).slice(0, 12)}`);
  const folder = join(manifest.folder, path);
  const outputs = ['model.safetensors', 'config.json'].map((file) => join(path, file));
  const made = await manifest.run({ name, inputs, outputs }, async () => {
    // A folder that is neither unfinished nor complete was changed by others.
    const isUnfinished = existsSync(join(folder, 'checkpoints'));
    if (!isUnfinished && !(await isTrained(folder))) await rm(folder, { recursive: true, force: true });
    return train(folder);
  });
  return { folder, made };
}

/** Folders and scorers of the models that training starts from, learns from and chooses passages and chunks with. */
async function untrainedModels(
  { size, phaseThree }: TrainingTarget,
  fold: number,
  teachers: Teacher | 'self' | 'none',
  { models }: CrossValidationContext,
) {
  const scorers = new Map<string, Scorer>();
  // Their scores are stored: other folds and systems asked about the same passages and chunks.
  const open = async (letter: SizeLetter): Promise<string> => {
    const folder = await models.places.folder(letter, 'general', fold);
    scorers.set(folder, await models.get(letter, 'general', fold));
    return folder;
  };
  const model = await open(size);
  if (typeof teachers === 'object') scorers.set(teachers.folder, teachers.scorer);
  return {
    model,
    teacher: typeof teachers === 'object' ? teachers.folder : teachers === 'self' ? model : undefined,
    phaseThree: phaseThree && {
      ...phaseThree,
      phaseOne: await open(phaseThree.phaseOne),
      phaseTwo: await open(phaseThree.phaseTwo),
    },
    scorers,
  };
}

/** The candidates and judgements of queries, as part of a step's inputs. */
function candidatesOf(
  ids: readonly string[],
  depth: number,
  withScores: boolean,
  { queries, initial, qrels }: CrossValidationContext,
): unknown[] {
  return ids.map((query) => [
    query,
    queries.get(query)!.text,
    (initial.get(query) ?? [])
      .slice(0, depth)
      // Phase three is validated by the final score, of which the initial score is part.
      .map(({ id, score }) => (withScores ? [id, score] : id)),
    [...(qrels.get(query) ?? [])],
  ]);
}

async function hashPhaseThree(phaseThree: PhaseThreeInputs): Promise<PhaseThreeInputs> {
  return {
    ...phaseThree,
    phaseOne: await hashModel(phaseThree.phaseOne),
    phaseTwo: await hashModel(phaseThree.phaseTwo),
  };
}

/** The scorer without its close: its owner closes it. */
function borrowed(scorer: Scorer): Scorer {
  return { score: (pairs, options) => scorer.score(pairs, options), close: async () => undefined };
}
