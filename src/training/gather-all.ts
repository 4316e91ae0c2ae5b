import { findModel, type Scorer } from '../bert/index.js';
import type { BaseModel } from './base-model.js';
import type { Configuration } from './configuration.js';
import {
  chunkExamples,
  type Feedback,
  gather,
  gatherFeedback,
  type FoundJournal,
  openFoundJournal,
  type Passage,
  requireBothKinds,
  residualQueries,
} from './examples/index.js';
import { exampleLessons } from './example-lessons.js';
import type { PhaseThreeInputs, TrainingInputs } from './inputs.js';
import type { Lessons } from './lessons.js';
import { residualLessons } from './residual-lessons.js';
import type { TrainingSettings } from './settings.js';
import type { ValidationQuery } from './validation.js';
import { rankedByChunks, rankedByQuery } from './validation-queries.js';

/** What is learned from, and what shows whether it was. */
export interface Gathered {
  readonly lessons: Lessons;
  /** Absent without validation queries. */
  readonly validation?: readonly ValidationQuery[];
}

/** How gathering is done and watched. */
export interface GatheringCall {
  /** The file of the journal. */
  readonly journal: string;
  readonly openScorer: (folder: string) => Scorer;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (done: number, total: number) => void;
}

/** Asks the models that choose passages and chunks, and teach, for all queries; they are closed after that. */
export async function gatherAll(
  inputs: TrainingInputs,
  settings: TrainingSettings,
  base: BaseModel,
  configuration: Configuration,
  call: GatheringCall,
): Promise<Gathered> {
  const opened = new Map<string, Scorer>();
  // One scorer for a folder, whatever its roles: what one role asked need not be asked again by another.
  const open = async (model: string): Promise<Scorer> => {
    const folder = await findModel(model);
    if (!opened.has(folder)) opened.set(folder, call.openScorer(folder));
    return opened.get(folder)!;
  };
  const { phaseThree } = inputs;
  const journal = await openFoundJournal<unknown>(call.journal, configuration);
  try {
    return phaseThree
      ? await onChunks(inputs, phaseThree, settings, base, journal as FoundJournal<Feedback>, open, call)
      : await onQueries(inputs, settings, base, journal as FoundJournal<readonly Passage[]>, open, call);
  } finally {
    await journal.close();
    for (const scorer of opened.values()) await scorer.close();
  }
}

type Open = (model: string) => Promise<Scorer>;

async function onQueries(
  inputs: TrainingInputs,
  settings: TrainingSettings,
  base: BaseModel,
  journal: FoundJournal<readonly Passage[]>,
  open: Open,
  { signal, onProgress }: GatheringCall,
): Promise<Gathered> {
  const { documents, run, qrels, queries, validationQueries } = inputs;
  const general = await open(inputs.general ?? base.folder);
  const teacher = inputs.teacher === undefined ? undefined : await open(inputs.teacher);
  const total = queries.length + (validationQueries?.length ?? 0);
  const source = { documents, general, ...(signal && { signal }) };
  const training = await gather(
    { purpose: 'training', queries, run, qrels },
    settings,
    journal,
    { ...source, ...(teacher && { teacher }) },
    (done) => onProgress(done, total),
  );
  requireBothKinds(training, inputs.label ?? 'The training');
  const lessons = exampleLessons(training, base.tokenizer, settings);
  if (!validationQueries) return { lessons };
  const validation = await gather(
    { purpose: 'validation', queries: validationQueries, run, qrels },
    settings,
    journal,
    source,
    (done) => onProgress(queries.length + done, total),
  );
  return { lessons, validation: validation.map(rankedByQuery) };
}

async function onChunks(
  inputs: TrainingInputs,
  { phaseOne, phaseTwo, combination, ...method }: PhaseThreeInputs,
  settings: TrainingSettings,
  { tokenizer, config }: BaseModel,
  journal: FoundJournal<Feedback>,
  open: Open,
  { signal, onProgress }: GatheringCall,
): Promise<Gathered> {
  const { documents, run, qrels, queries, validationQueries, general, teacher, label } = inputs;
  const source = {
    documents,
    bestPassage: await open(general ?? phaseOne),
    phaseOne: await open(phaseOne),
    phaseTwo: await open(phaseTwo),
    ...(signal && { signal }),
  };
  const { passageWords, titleWords } = settings;
  const all = [...queries, ...(validationQueries ?? [])];
  const shape = { ...method, passageWords, titleWords };
  const gathered = await gatherFeedback(all, run, shape, journal, source, onProgress);
  const learned = gathered.slice(0, queries.length);
  let lessons: Lessons;
  if (settings.loss === 'residual') {
    const training = residualQueries(learned, qrels, settings);
    requireBothKinds(training, label ?? 'The training');
    lessons = residualLessons(training, tokenizer, config.labels, settings);
  } else {
    const teaching = teacher === undefined ? undefined : await open(teacher);
    const training = await chunkExamples(learned, qrels, settings, teaching, signal);
    requireBothKinds(training, label ?? 'The training');
    lessons = exampleLessons(training, tokenizer, settings);
  }
  if (!validationQueries) return { lessons };
  const validation = gathered.slice(queries.length).map((one) => rankedByChunks(one, combination));
  return { lessons, validation };
}
