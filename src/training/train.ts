import { hashJson } from '../common/hash.js';
import type { Query } from '../collection/index.js';
import { BertQeError } from '../common/errors.js';
import { versions } from '../common/versions.js';
import { findModel, hashModel, type Scorer } from '../bert/index.js';
import { readBaseModel, scorerOf, type BaseModel } from './base-model.js';
import { Checkpoints, type Saved } from './checkpoints.js';
import { type Configuration, requireSame } from './configuration.js';
import { publishedAdam, TrainingWorker } from './engine/index.js';
import { gatherAll } from './gather-all.js';
import type { LossKind } from './graph/index.js';
import { bestOf, thinned } from './history.js';
import type { PhaseThreeInputs, TrainingInputs } from './inputs.js';
import type { Lessons } from './lessons.js';
import { checkpointsIn, finishedIn, type TrainingManifest, writeTrainedModel } from './outcome.js';
import { type LossName, settingsFrom, type TrainingOptions, type TrainingSettings } from './settings.js';
import { type LoopState, trainingLoop, type TrainingProgress } from './training-loop.js';
import { ValidationSet } from './validation.js';

/** What is being done: choosing best passages (and chunks) query by query, or training step by step. */
export type TrainProgress =
  | { readonly phase: 'passages'; readonly done: number; readonly total: number }
  | ({ readonly phase: 'training' } & TrainingProgress);

/** Where the result of a training goes, and how the work is watched, stopped and taken up again. */
export interface TrainCall {
  /** Folder of the result; what is needed to go on lies in it too until the training is finished. */
  readonly out: string;
  /** Goes on with what `out` holds, if anything (false). */
  readonly resume?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: TrainProgress) => void;
  /** Loads a model that chooses passages or teaches; it is closed after that. Experiments bring ones that remember. */
  readonly openScorer?: (folder: string) => Scorer;
}

/** Points of the history that are kept in the manifest. */
const keptPoints = 500;

/** Fine-tunes a model on the candidates of queries and writes it as a model folder. */
export async function trainModel(
  inputs: TrainingInputs,
  options: TrainingOptions,
  call: TrainCall,
): Promise<TrainingManifest> {
  const { out, resume = false, signal } = call;
  const settings = settingsFrom(options);
  const base = await readBaseModel(inputs.model);
  checkInputs(inputs, settings, base);
  const finished = await finishedIn(out, resume);
  const configuration = await configurationOf(inputs, settings, base);
  if (finished) {
    requireSame(finished.configuration, configuration, out);
    return finished;
  }
  const checkpoints = new Checkpoints(checkpointsIn(out));
  await checkpoints.prepare();
  const saved = await checkpoints.read(configuration);
  const { lessons, validation } = await gatherAll(inputs, settings, base, configuration, {
    journal: checkpoints.path('passages.jsonl'),
    openScorer: call.openScorer ?? scorerOf,
    signal,
    onProgress: (done, total) => call.onProgress?.({ phase: 'passages', done, total }),
  });
  if (lessons.size === 0) {
    throw new BertQeError(
      'input',
      `${inputs.label ?? 'The training'}: no query has both a relevant and another candidate, which the ${settings.loss} ` +
        `loss compares; ${settings.loss === 'residual' ? 'give more judgements' : 'use the pointwise loss'}, or a deeper run.`,
    );
  }
  const steps = settings.steps ?? lessons.stepsIn(settings.epochs);
  const validationSet = validation && new ValidationSet(validation, inputs.qrels, base.tokenizer, settings);
  const worker = await openWorker(base, settings, checkpoints, saved);
  try {
    const state: LoopState = {
      step: saved?.step ?? 0,
      seconds: saved?.seconds ?? 0,
      steps: [...(saved?.steps ?? [])],
      validations: [...(saved?.validations ?? [])],
      best: saved?.best ?? null,
    };
    await trainingLoop(
      {
        worker,
        checkpoints,
        configuration,
        steps,
        learningRate: settings.learningRate,
        warmup: settings.warmup,
        examplesPerStep: lessons.examplesPerStep,
        saveEvery: settings.saveEvery,
        validateEvery: settings.validateEvery ?? Math.max(1, Math.ceil(steps / 10)),
        patience: settings.patience,
        takeStep: (step, learningRate) => lessons.take(worker, step, learningRate),
        ...(validationSet && { validate: () => validationSet.evaluate(worker, base.config.labels) }),
        signal,
        onProgress: (progress) => call.onProgress?.({ phase: 'training', ...progress }),
      },
      state,
    );
    const manifest = manifestOf(inputs, configuration, lessons, state, steps);
    return await writeTrainedModel(out, base, manifest, state.best, checkpoints, worker);
  } finally {
    await worker.close();
  }
}

function checkInputs(
  inputs: TrainingInputs,
  settings: TrainingSettings,
  { config, folder }: BaseModel,
): void {
  const training = new Set(inputs.queries.map(({ id }) => id));
  const both = inputs.validationQueries?.find(({ id }) => training.has(id));
  if (both) {
    throw new BertQeError(
      'input',
      `Query "${both.id}" is to be trained on and validated with; what a model has seen says nothing about what it has not.`,
    );
  }
  if (settings.loss === 'residual' && (!inputs.phaseThree || inputs.teacher !== undefined)) {
    throw new BertQeError(
      'usage',
      inputs.phaseThree
        ? 'The residual loss knows no teacher; leave it out, or use another loss.'
        : 'The residual loss is that of phase three on chunks, by the final score; train on chunks, or use another loss.',
    );
  }
  if (settings.maxLength > config.maxPositions) {
    throw new BertQeError(
      'usage',
      `A maximum length of ${settings.maxLength} is not possible: ${folder} has positions for ${config.maxPositions} tokens.`,
    );
  }
}

/** Settings that change nothing by themselves: some are taken in where they count. */
const withoutEffect = new Set([
  'threads',
  'device',
  'saveEvery',
  'epochs',
  'teacherWeight',
  'lossAlpha',
  'lossBeta',
]);

function textOf({ id, text }: Query): readonly string[] {
  return [id, text];
}

async function configurationOf(
  inputs: TrainingInputs,
  settings: TrainingSettings,
  base: BaseModel,
): Promise<Configuration> {
  const { epochs, teacherWeight, lossAlpha, lossBeta } = settings;
  const deepest = Math.max(settings.depth, settings.validationDepth ?? 0, inputs.phaseThree?.depth ?? 0);
  const wanted = [...inputs.queries, ...(inputs.validationQueries ?? [])].map(({ id }) => id);
  const chosen = Object.entries(settings).filter(
    ([name, value]) => value !== undefined && !withoutEffect.has(name),
  ) as [string, string | number][];
  return {
    ...Object.fromEntries(chosen),
    ...(settings.steps === undefined && { epochs }),
    ...(settings.loss === 'residual' && { lossAlpha, lossBeta }),
    model: await hashModel(base.folder),
    ...(inputs.general && { general: await hashModel(await findModel(inputs.general)) }),
    ...(inputs.teacher && { teacher: await hashModel(await findModel(inputs.teacher)), teacherWeight }),
    ...(inputs.phaseThree && (await phaseThreeOf(inputs.phaseThree))),
    documents: inputs.documentsKey,
    queries: hashJson(inputs.queries.map(textOf)),
    validationQueries: hashJson((inputs.validationQueries ?? []).map(textOf)),
    qrels: hashJson(wanted.map((id) => [...(inputs.qrels.get(id) ?? [])])),
    run: hashJson(wanted.map((id) => (inputs.run.get(id) ?? []).slice(0, deepest))),
  };
}

async function phaseThreeOf({
  phaseOne,
  phaseTwo,
  depth,
  combination,
  ...method
}: PhaseThreeInputs): Promise<Configuration> {
  return {
    on: 'chunks',
    phaseOne: await hashModel(await findModel(phaseOne)),
    phaseTwo: await hashModel(await findModel(phaseTwo)),
    ...method,
    rerankedDepth: depth,
    ...combination,
  };
}

/** What of a loss the graph computes. */
const graphLoss: Readonly<Record<LossName, LossKind>> = {
  pointwise: 'pointwise',
  pairwise: 'listwise',
  listwise: 'listwise',
  residual: 'given',
};

function openWorker(
  { config, folder }: BaseModel,
  { loss, dropout, seed, device, threads }: TrainingSettings,
  checkpoints: Checkpoints,
  saved: Saved | undefined,
): Promise<TrainingWorker> {
  return TrainingWorker.open({
    settings: {
      config,
      loss: graphLoss[loss],
      dropout,
      seed,
      adam: publishedAdam,
      device,
      threads,
    },
    start: saved ? { state: checkpoints.path(saved.state) } : { model: folder },
  });
}

function manifestOf(
  inputs: TrainingInputs,
  configuration: Configuration,
  { found }: Lessons,
  state: LoopState,
  plannedSteps: number,
): Omit<TrainingManifest, 'weights'> {
  return {
    format: 'bert-qe-training',
    version: 1,
    versions: versions(),
    model: inputs.model,
    configuration,
    examples: found,
    steps: state.step,
    plannedSteps,
    best: bestOf(state.validations) ?? null,
    seconds: Math.round(state.seconds * 10) / 10,
    history: { steps: thinned(state.steps, keptPoints), validations: state.validations },
  };
}
