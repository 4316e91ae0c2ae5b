import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from '../common/hash.js';
import { copyTokenizer, writeConfig } from '../bert/index.js';
import { BertQeError } from '../common/errors.js';
import { systemCode, writeFailure } from '../common/io-errors.js';
import { writeFileAtomic } from '../common/atomic.js';
import { withLock } from '../common/lock.js';
import { versions } from '../common/package-files.js';
import type { Checkpoints, SavedFile } from './checkpoints.js';
import { type Configuration, requireSame } from './configuration.js';
import type { TrainingWorker } from './engine/index.js';
import type { ExampleCounts } from './data/index.js';
import { type History, thinned, type ValidationRecord } from './history.js';
import type { BaseModel } from './models.js';
import type { LoopState } from './training-loop.js';

/** The content of `training.json`, which records how a model was trained. */
export interface TrainingManifest {
  readonly format: 'bert-qe-training';
  readonly version: 1;
  readonly versions: Readonly<Record<string, string>>;
  /** The model that training started from, as the caller named it. */
  readonly model: string;
  readonly configuration: Configuration;
  readonly examples: ExampleCounts;
  /** Steps done; fewer than planned where training stopped early. */
  readonly steps: number;
  readonly plannedSteps: number;
  /** The validation that gave these weights; null where they are those of the last step. */
  readonly best: ValidationRecord | null;
  readonly seconds: number;
  /** SHA-256 of the file of weights. */
  readonly weights: string;
  readonly history: History;
}

/** Steps of the history that the manifest keeps. */
const keptPoints = 500;

/** The manifest of a training that is done, without the hash of its weights. */
export function manifestOf(
  model: string,
  configuration: Configuration,
  examples: ExampleCounts,
  state: LoopState,
  plannedSteps: number,
  best: ValidationRecord | undefined,
): Omit<TrainingManifest, 'weights'> {
  return {
    format: 'bert-qe-training',
    version: 1,
    versions: versions(),
    model,
    configuration,
    examples,
    steps: state.step,
    plannedSteps,
    best: best ?? null,
    seconds: Math.round(state.seconds * 10) / 10,
    history: { steps: thinned(state.steps, keptPoints), validations: state.validations },
  };
}

const manifestName = 'training.json';
const weightsName = 'model.safetensors';
const checkpointsName = 'checkpoints';

/** The folder of an unfinished training's checkpoints. */
export function checkpointFolder(out: string): string {
  return join(out, checkpointsName);
}

/** True where a folder holds a finished training's output, unchanged. */
export async function isTrained(out: string): Promise<boolean> {
  try {
    const { weights } = JSON.parse(await readFile(join(out, manifestName), 'utf8')) as TrainingManifest;
    return existsSync(join(out, 'config.json')) && weights === (await hashFile(join(out, weightsName)));
  } catch {
    // A file is missing, or is not a manifest.
    return false;
  }
}

/** The output of a training, and how it is resumed and stopped. */
export interface OutputCall {
  /** Folder of the trained model and, until the training is finished, of its checkpoints. */
  readonly out: string;
  /** Resumes the training in `out`, if there is one (false). */
  readonly resume?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Trains in a folder that no other process writes to, unless `out` holds the finished training: its manifest is
 * returned, and must have been written under the same configuration.
 */
export function trainOnce(
  { out, resume = false, signal }: OutputCall,
  configure: () => Configuration | Promise<Configuration>,
  train: (configuration: Configuration) => Promise<TrainingManifest>,
): Promise<TrainingManifest> {
  return withLock(join(out, '.lock'), { what: out, signal }, async () => {
    const finished = await finishedTraining(out, resume);
    const configuration = await configure();
    if (!finished) return train(configuration);
    requireSame(finished.configuration, configuration, out);
    return finished;
  });
}

/** The manifest of the finished training in `out`, if there is one. Throws where no training may start in `out`. */
async function finishedTraining(out: string, resume: boolean): Promise<TrainingManifest | undefined> {
  let names: string[];
  try {
    names = (await readdir(out)).filter((name) => !name.startsWith('.'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw writeFailure(out, error);
  }
  const isUnfinished = names.includes(checkpointsName);
  const isFinished = names.includes(manifestName) && names.includes('config.json') && !isUnfinished;
  if (isFinished && resume) {
    if (!(await isTrained(out))) {
      throw new BertQeError(
        'corrupt',
        `${out}: ${weightsName} is not what the training wrote; remove the folder to train again.`,
      );
    }
    return JSON.parse(await readFile(join(out, manifestName), 'utf8')) as TrainingManifest;
  }
  if (isFinished) {
    throw new BertQeError('usage', `${out} holds a trained model already; name another folder.`);
  }
  if (isUnfinished && !resume) {
    throw new BertQeError(
      'usage',
      `${out} holds a training that is not finished; resume it (--resume), or name another folder.`,
    );
  }
  if (names.length > 0 && !isUnfinished) {
    throw new BertQeError('usage', `${out} is not empty; name a new folder for the model.`);
  }
  return undefined;
}

/** Writes what belongs to a model besides its weights: first the other files, last of all `config.json`. */
export interface ModelWriter {
  files(out: string): Promise<void>;
  config(out: string): Promise<void>;
}

/** The files of a cross-encoder. */
export function crossEncoderFiles(base: BaseModel): ModelWriter {
  return {
    files: (out) => copyTokenizer(base.folder, out),
    config: (out) => writeConfig(base.config, out),
  };
}

/**
 * Writes the model folder, with the best weights or else the last. `config.json` is written last: a folder without it
 * is not a model.
 */
export async function writeTrainedModel(
  out: string,
  writer: ModelWriter,
  manifest: Omit<TrainingManifest, 'weights'>,
  best: SavedFile | null,
  checkpoints: Checkpoints,
  worker: Pick<TrainingWorker, 'save'>,
): Promise<TrainingManifest> {
  const weights = join(out, weightsName);
  try {
    if (best === null) await worker.save('saveModel', weights);
    else {
      await checkpoints.verify(best);
      await copyFile(checkpoints.path(best.name), weights);
    }
    await writer.files(out);
  } catch (error) {
    throw writeFailure(weights, error);
  }
  const { history, ...facts } = manifest;
  const whole: TrainingManifest = { ...facts, weights: await hashFile(weights), history };
  await writeFileAtomic(join(out, manifestName), `${JSON.stringify(whole, undefined, 1)}\n`);
  if (!existsSync(join(out, 'config.json'))) await writer.config(out);
  await checkpoints.remove();
  return whole;
}
