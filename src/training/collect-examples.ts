import { findModel, type Scorer } from '../bert/index.js';
import type { Configuration } from './configuration.js';
import { exampleData, residualData, residualQueries, type TrainingData } from './data/index.js';
import {
  type BestPassage,
  chunkExamples,
  collectFeedback,
  collectQueryExamples,
  type ExampleJournal,
  type Feedback,
  openExampleJournal,
  type QueryFeedback,
  requireBothKinds,
} from './examples/index.js';
import type { PhaseThreeInputs, TrainingInputs } from './inputs.js';
import type { BaseModel } from './models.js';
import type { TrainingSettings } from './settings.js';
import { rankedByChunks, rankedByQuery, type ValidationQuery } from './validation.js';

/** The data of a training, and its validation queries where there are any. */
export interface CollectedExamples {
  readonly data: TrainingData;
  readonly validation?: readonly ValidationQuery[];
}

export interface CollectOptions {
  readonly journal: string;
  readonly openScorer: (folder: string) => Scorer;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (done: number, total: number) => void;
}

interface ExampleSource {
  readonly inputs: TrainingInputs;
  readonly settings: TrainingSettings;
  readonly base: BaseModel;
  /** Opens a model by letter, name or path. */
  readonly open: (model: string) => Promise<Scorer>;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: CollectOptions['onProgress'];
}

/** Collects the examples of all queries. The models that choose passages and chunks, and teach, are closed afterwards. */
export async function collectExamples(
  inputs: TrainingInputs,
  settings: TrainingSettings,
  base: BaseModel,
  configuration: Configuration,
  { journal: path, openScorer, signal, onProgress }: CollectOptions,
): Promise<CollectedExamples> {
  const opened = new Map<string, Scorer>();
  // A model that serves in several roles is opened once, so that its scores can be shared.
  const open = async (model: string): Promise<Scorer> => {
    const folder = await findModel(model);
    if (!opened.has(folder)) opened.set(folder, openScorer(folder));
    return opened.get(folder)!;
  };
  const { phaseThree } = inputs;
  const collection = { inputs, settings, base, open, onProgress, signal };
  const journal = await openExampleJournal<unknown>(path, configuration);
  try {
    return phaseThree
      ? await forPhaseThree(collection, phaseThree, journal as ExampleJournal<Feedback>)
      : await forPhaseOne(collection, journal as ExampleJournal<readonly BestPassage[]>);
  } finally {
    await journal.close();
    for (const scorer of opened.values()) await scorer.close();
  }
}

async function forPhaseOne(
  { inputs, settings, base, open, signal, onProgress }: ExampleSource,
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
  collection: ExampleSource,
  { phaseOne, phaseTwo, combination, ...method }: PhaseThreeInputs,
  journal: ExampleJournal<Feedback>,
): Promise<CollectedExamples> {
  const { inputs, settings, open, signal, onProgress } = collection;
  const { documents, run, queries, validationQueries } = inputs;
  const source = {
    documents,
    bestPassage: await open(inputs.passageModel ?? phaseOne),
    phaseOne: await open(phaseOne),
    phaseTwo: await open(phaseTwo),
    signal,
  };
  const { passageWords, titleWords } = settings;
  const all = [...queries, ...(validationQueries ?? [])];
  const collected = await collectFeedback(
    all,
    run,
    { ...method, passageWords, titleWords },
    journal,
    source,
    onProgress,
  );
  const data = await phaseThreeData(collected.slice(0, queries.length), collection);
  if (!validationQueries) return { data };
  const validation = collected.slice(queries.length).map((one) => rankedByChunks(one, combination));
  return { data, validation };
}

async function phaseThreeData(
  collected: readonly QueryFeedback[],
  { inputs, settings, base, open, signal }: ExampleSource,
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
