import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from '../common/hash.js';
import { corruptError, usageError } from '../common/errors.js';
import { systemCode, writeFailure } from '../common/io-errors.js';
import { writeFileAtomic } from '../common/atomic.js';
import { withLock } from '../common/lock.js';
import { versions } from '../common/package-files.js';
import { Checkpoints } from './checkpoints.js';
import { type Configuration, requireSame } from './configuration.js';
import type { ExampleCounts } from './data/training-data.js';
import { bestOf, type History, thinned, type ValidationRecord } from './history.js';
import { type LoopContext, type LoopState, loopStateOf, trainingLoop } from './training-loop.js';

/** The content of `training.json`, which records how a model was trained. */
export interface TrainingManifest<Counts = ExampleCounts> {
  readonly format: 'bert-qe-training';
  readonly version: 1;
  readonly versions: Readonly<Record<string, string>>;
  /** The model that training started from, as the caller named it. */
  readonly model: string;
  readonly configuration: Configuration;
  readonly examples: Counts;
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

const manifestName = 'training.json';
const weightsName = 'model.safetensors';
const checkpointsName = 'checkpoints';

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

/** What a training begins with. */
export interface TrainingStart {
  readonly checkpoints: Checkpoints;
  readonly configuration: Configuration;
  /** The file of the state to go on from; absent for a new training. */
  readonly stateFile: string | undefined;
}

/** A training that is ready to run. */
export interface OpenTraining<Counts = ExampleCounts> {
  /** The model that training starts from, as the caller named it. */
  readonly model: string;
  readonly examples: Counts;
  readonly worker: {
    call(method: 'saveState' | 'saveModel', file: string): Promise<void>;
    close(): Promise<void>;
  };
  readonly loop: Omit<LoopContext, 'save' | 'checkpoints' | 'configuration' | 'signal'>;
  readonly writer: ModelWriter;
}

/**
 * Trains in a folder that no other process writes to, and writes the model there. Where `out` holds the finished training,
 * its manifest is returned, and must have been written under the same configuration; an unfinished one goes on.
 */
export function trainInFolder<Counts = ExampleCounts>(
  { out, resume = false, signal }: OutputCall,
  configure: () => Configuration | Promise<Configuration>,
  open: (start: TrainingStart) => Promise<OpenTraining<Counts>>,
): Promise<TrainingManifest<Counts>> {
  return withLock(join(out, '.lock'), { what: out, signal }, async () => {
    const finished = await finishedTraining<Counts>(out, resume);
    const configuration = await configure();
    if (finished) {
      requireSame(finished.configuration, configuration, out);
      return finished;
    }
    const checkpoints = new Checkpoints(join(out, checkpointsName));
    await checkpoints.prepare();
    const saved = await checkpoints.read(configuration);
    const stateFile = saved && checkpoints.path(saved.state.name);
    const training = await open({ checkpoints, configuration, stateFile });
    const { worker, loop } = training;
    try {
      const state = loopStateOf(saved);
      const save: LoopContext['save'] = (what, file) => worker.call(what, file);
      await trainingLoop({ ...loop, save, checkpoints, configuration, signal }, state);
      return await writeTrainedModel(out, training, configuration, state, checkpoints);
    } finally {
      await worker.close();
    }
  });
}

/** The manifest of the finished training in `out`, if there is one. Throws where no training may start in `out`. */
async function finishedTraining<Counts>(
  out: string,
  resume: boolean,
): Promise<TrainingManifest<Counts> | undefined> {
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
      throw corruptError(
        `${out}: ${weightsName} is not what the training wrote; remove the folder to train again.`,
      );
    }
    return JSON.parse(await readFile(join(out, manifestName), 'utf8')) as TrainingManifest<Counts>;
  }
  if (isFinished) {
    throw usageError(`${out} holds a trained model already; name another folder.`);
  }
  if (isUnfinished && !resume) {
    throw usageError(
      `${out} holds a training that is not finished; resume it (--resume), or name another folder.`,
    );
  }
  if (names.length > 0 && !isUnfinished) {
    throw usageError(`${out} is not empty; name a new folder for the model.`);
  }
  return undefined;
}

/** Writes what belongs to a model besides its weights: first the other files, last of all `config.json`. */
export interface ModelWriter {
  files(out: string): Promise<void>;
  config(out: string): Promise<void>;
}

/**
 * Writes the model folder, with the best weights or else the last. `config.json` is written last: a folder without it
 * is not a model.
 */
async function writeTrainedModel<Counts>(
  out: string,
  { model, examples, worker, loop, writer }: OpenTraining<Counts>,
  configuration: Configuration,
  state: LoopState,
  checkpoints: Checkpoints,
): Promise<TrainingManifest<Counts>> {
  const weights = join(out, weightsName);
  try {
    if (state.best === null) await worker.call('saveModel', weights);
    else {
      await checkpoints.verify(state.best);
      await copyFile(checkpoints.path(state.best.name), weights);
    }
    await writer.files(out);
  } catch (error) {
    throw writeFailure(weights, error);
  }
  const manifest: TrainingManifest<Counts> = {
    format: 'bert-qe-training',
    version: 1,
    versions: versions(),
    model,
    configuration,
    examples,
    steps: state.step,
    plannedSteps: loop.steps,
    best: (loop.keep === 'best' && bestOf(state.validations, loop.measure)) || null,
    seconds: Math.round(state.seconds * 10) / 10,
    weights: await hashFile(weights),
    history: { steps: thinned(state.steps, keptPoints), validations: state.validations },
  };
  await writeFileAtomic(join(out, manifestName), `${JSON.stringify(manifest, undefined, 1)}\n`);
  if (!existsSync(join(out, 'config.json'))) await writer.config(out);
  await checkpoints.remove();
  return manifest;
}
