import { findModel, type Scorer } from '../bert/index.js';
import { inputError } from '../common/errors.js';
import { getOrInsert } from '../common/get-or-insert.js';
import { configurationOf } from './configuration.js';
import { exampleData } from './data/example-data.js';
import { residualData, residualQueries } from './data/residual-data.js';
import type { TrainingData } from './data/training-data.js';
import { type BestPassage, collectQueryExamples, requireBothKinds } from './examples/query-examples.js';
import { chunkExamples, collectFeedback, type Feedback, type QueryFeedback } from './examples/feedback.js';
import { type ExampleJournal, openExampleJournal } from './examples/journal.js';
import { checkInputs, type PhaseThreeInputs, type TrainingInputs } from './inputs.js';
import { type BaseModel, lazyScorer, openBaseModel } from './models.js';
import { openTraining, type TrainingPhase } from './open-training.js';
import { type OutputCall, trainInFolder, type TrainingManifest, type TrainingStart } from './output.js';
import { trainingSettings, type TrainingOptions, type TrainingSettings } from './settings.js';
import { byRankings, rankedByChunks, rankedByQuery, type ValidationQuery } from './validation.js';

/** The progress of a training: first by query, while best passages (and chunks) are chosen, then by step. */
export type TrainProgress =
  | { readonly phase: 'passages'; readonly done: number; readonly total: number }
  | TrainingPhase;

/** The output of a training, and how it is resumed, stopped and watched. */
export interface TrainCall extends OutputCall {
  readonly onProgress?: (progress: TrainProgress) => void;
  /** Opens a model that chooses passages or teaches; it is closed before training begins. */
  readonly openScorer?: (folder: string) => Scorer;
}

/** Fine-tunes a model on the candidates of queries, and writes a model folder. */
export async function trainModel(
  inputs: TrainingInputs,
  options: TrainingOptions,
  call: TrainCall,
): Promise<TrainingManifest> {
  const settings = trainingSettings(options);
  const base = await openBaseModel(inputs.model, settings);
  checkInputs(inputs, settings);
  return trainInFolder(
    call,
    () => configurationOf(inputs, settings, base),
    async (start) => {
      const { loss } = settings;
      const { data, validation } = await collectExamples({ inputs, settings, base }, start, call);
      if (data.groups === 0) {
        throw inputError(
          `${inputs.label ?? 'The training'}: no query has both a relevant and another candidate, which the ${loss} ` +
            `loss compares; ${loss === 'residual' ? 'give more judgements' : 'use the pointwise loss'}, or a deeper run.`,
        );
      }
      const validate = validation && byRankings(validation, inputs.qrels, base, settings);
      const task = { model: inputs.model, base, data, validate };
      return openTraining(task, settings, start, call);
    },
  );
}

/** What a training is made of. */
interface Task {
  readonly inputs: TrainingInputs;
  readonly settings: TrainingSettings;
  readonly base: BaseModel;
}

interface Collecting {
  /** Opens a model by letter, name or path. */
  readonly open: (model: string) => Promise<Scorer>;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (done: number, total: number) => void;
}

/** The data of a training, and its validation queries where there are any. */
interface CollectedExamples {
  readonly data: TrainingData;
  readonly validation?: readonly ValidationQuery[];
}

/** Collects the examples of all queries. The models that choose passages and chunks, and teach, are closed afterwards. */
async function collectExamples(
  task: Task,
  { checkpoints, configuration }: TrainingStart,
  { openScorer = lazyScorer, signal, onProgress }: TrainCall,
): Promise<CollectedExamples> {
  const opened = new Map<string, Scorer>();
  const collecting: Collecting = {
    // A model that serves in several roles is opened once, so that its scores can be shared.
    open: async (model) => {
      const folder = await findModel(model);
      return getOrInsert(opened, folder, () => openScorer(folder));
    },
    signal,
    onProgress: (done, total) => onProgress?.({ phase: 'passages', done, total }),
  };
  const { phaseThree } = task.inputs;
  const journal = await openExampleJournal<unknown>(checkpoints.path('passages.jsonl'), configuration);
  try {
    return phaseThree
      ? await forPhaseThree(task, collecting, phaseThree, journal as ExampleJournal<Feedback>)
      : await forPhaseOne(task, collecting, journal as ExampleJournal<readonly BestPassage[]>);
  } finally {
    await journal.close();
    for (const scorer of opened.values()) await scorer.close();
  }
}

async function forPhaseOne(
  { inputs, settings, base }: Task,
  { open, signal, onProgress }: Collecting,
  journal: ExampleJournal<readonly BestPassage[]>,
): Promise<CollectedExamples> {
  const { documents, run, qrels, queries, validationQueries } = inputs;
  const passageModel = await open(inputs.passageModel ?? base.folder);
  const teacher = inputs.teacher === undefined ? undefined : await open(inputs.teacher);
  const total = queries.length + (validationQueries?.length ?? 0);
  const source = { documents, passageModel, signal };
  const training = await collectQueryExamples(
    { purpose: 'training', queries, run, qrels },
    settings,
    journal,
    { ...source, teacher },
    (done) => onProgress(done, total),
  );
  requireBothKinds(training, inputs.label ?? 'The training');
  const data = exampleData(training, base.tokenizer, settings);
  if (!validationQueries) return { data };
  const validation = await collectQueryExamples(
    { purpose: 'validation', queries: validationQueries, run, qrels },
    settings,
    journal,
    source,
    (done) => onProgress(queries.length + done, total),
  );
  return { data, validation: validation.map(rankedByQuery) };
}

async function forPhaseThree(
  task: Task,
  collecting: Collecting,
  { phaseOne, phaseTwo, combination, ...method }: PhaseThreeInputs,
  journal: ExampleJournal<Feedback>,
): Promise<CollectedExamples> {
  const { open, signal, onProgress } = collecting;
  const { documents, run, queries, validationQueries, passageModel } = task.inputs;
  const source = {
    documents,
    bestPassage: await open(passageModel ?? phaseOne),
    phaseOne: await open(phaseOne),
    phaseTwo: await open(phaseTwo),
    signal,
  };
  const { passageWords, titleWords } = task.settings;
  const all = [...queries, ...(validationQueries ?? [])];
  const whole = { ...method, passageWords, titleWords };
  const collected = await collectFeedback(all, run, whole, journal, source, onProgress);
  const data = await phaseThreeData(collected.slice(0, queries.length), task, collecting);
  if (!validationQueries) return { data };
  const validation = collected.slice(queries.length).map((one) => rankedByChunks(one, combination));
  return { data, validation };
}

async function phaseThreeData(
  collected: readonly QueryFeedback[],
  { inputs, settings, base }: Task,
  { open, signal }: Collecting,
): Promise<TrainingData> {
  const { qrels, label = 'The training' } = inputs;
  if (settings.loss === 'residual') {
    const queries = residualQueries(collected, qrels, settings);
    requireBothKinds(queries, label);
    return residualData(queries, base.tokenizer, base.config.labels, settings);
  }
  const teacher = inputs.teacher === undefined ? undefined : await open(inputs.teacher);
  const queries = await chunkExamples(collected, qrels, settings, teacher, signal);
  requireBothKinds(queries, label);
  return exampleData(queries, base.tokenizer, settings);
}
