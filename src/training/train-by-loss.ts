import { throwIfAborted } from '../common/errors.js';
import { type Configuration, modelConfiguration } from './configuration.js';
import { distilledData, distilledValidation, type GroupCounts } from './data/distilled-data.js';
import { type TextCounts, textData, textValidation } from './data/text-data.js';
import type { TrainingData, ValidationBatches } from './data/training-data.js';
import { type ScoredGroup, tokenizedGroups } from './groups.js';
import { lossMeasure } from './history.js';
import { type BaseModel, type NewModel, openBaseModel } from './models.js';
import { openTraining, type TrainingPhase } from './open-training.js';
import { type OutputCall, trainInFolder, type TrainingManifest } from './output.js';
import { type TrainingSettings, trainingSettings, type TrainingOptions } from './settings.js';
import { tokenizedText } from './text.js';
import { byLoss } from './validation.js';

/** The inputs of masked-language training. */
export interface PretrainingInputs {
  /** The texts to learn from, in an order that is always the same. */
  readonly texts: AsyncIterable<string> | Iterable<string>;
  /** Other texts, by whose loss the best weights are chosen. */
  readonly validationTexts?: AsyncIterable<string> | Iterable<string> | undefined;
  /** The model to start from, by letter, name or path, or the shape of a new one. */
  readonly model: string | NewModel;
}

/** The inputs of distillation from stored scores. */
export interface DistillationInputs {
  /** Queries with candidates that a teacher scored, in an order that is always the same. */
  readonly groups: AsyncIterable<ScoredGroup> | Iterable<ScoredGroup>;
  /** Other groups, by whose loss the best weights are chosen. */
  readonly validationGroups?: AsyncIterable<ScoredGroup> | Iterable<ScoredGroup> | undefined;
  /** The model to start from, by letter, name or path. */
  readonly model: string;
}

/** The progress of a training that reads a file: word pieces of text or groups, and then steps. */
export type LossTrainingProgress = { readonly phase: 'reading'; readonly done: number } | TrainingPhase;

/** The output of a training that reads a file, and how it is resumed, stopped and watched. */
export interface LossTrainingCall extends OutputCall {
  readonly onProgress?: (progress: LossTrainingProgress) => void;
}

/**
 * Trains a model to predict masked tokens of texts, and writes a model folder. The result has no classifier; further
 * training gives it one.
 */
export async function pretrainModel(
  { texts, validationTexts, model }: PretrainingInputs,
  options: TrainingOptions,
  call: LossTrainingCall,
): Promise<TrainingManifest<TextCounts>> {
  const settings = trainingSettings(options, 'masked');
  const base = await openBaseModel(model, settings);
  const read = (label: string, some: PretrainingInputs['texts']) =>
    tokenizedText(label, some, base.tokenizer, reader(call));
  const text = await read('The corpus', texts);
  const held = validationTexts && (await read('The validation corpus', validationTexts));
  return trainByLoss(
    {
      base,
      settings,
      hashes: { text: text.hash, ...(held && { validationText: held.hash }) },
      data: textData(text, base.tokenizer, settings),
      validation: held && textValidation(held, base.tokenizer, settings),
    },
    call,
  );
}

/** Trains a cross-encoder on the log-odds that a teacher gave the candidates of queries, and writes a model folder. */
export async function distilModel(
  { groups, validationGroups, model }: DistillationInputs,
  options: TrainingOptions,
  call: LossTrainingCall,
): Promise<TrainingManifest<GroupCounts>> {
  const settings = trainingSettings(options, 'distilled');
  const base = await openBaseModel(model, settings);
  const read = (label: string, some: DistillationInputs['groups']) =>
    tokenizedGroups(label, some, base.tokenizer, settings.maxLength, reader(call));
  const scored = await read('The groups', groups);
  const held = validationGroups && (await read('The validation groups', validationGroups));
  return trainByLoss(
    {
      base,
      settings,
      hashes: { groups: scored.hash, ...(held && { validationGroups: held.hash }) },
      data: distilledData(scored, base.tokenizer, settings),
      validation: held && distilledValidation(held, base.tokenizer, settings),
    },
    call,
  );
}

function reader({ signal, onProgress }: LossTrainingCall): (done: number) => void {
  return (done) => {
    throwIfAborted(signal);
    onProgress?.({ phase: 'reading', done });
  };
}

/** A training by batches that do not depend on judged queries, and whose validation goes by their loss. */
interface LossTask<Counts> {
  readonly base: BaseModel;
  readonly settings: TrainingSettings;
  readonly hashes: Configuration;
  readonly data: TrainingData<Counts>;
  readonly validation: ValidationBatches | undefined;
}

async function trainByLoss<Counts>(
  { base, settings, hashes, data, validation }: LossTask<Counts>,
  call: LossTrainingCall,
): Promise<TrainingManifest<Counts>> {
  const configuration = { ...(await modelConfiguration(base, settings)), ...hashes };
  const validate = validation && byLoss(validation);
  const task = { model: base.name, base, data, validate, measure: lossMeasure } as const;
  return trainInFolder(
    call,
    () => configuration,
    (start) => openTraining(task, settings, start, call),
  );
}
