import { bertTensorShapes, bertWeights, openCheckpoint, storedName } from '../../bert/checkpoint/index.js';
import { serve } from '../../bert/runtime/index.js';
import { closing } from '../../common/closing.js';
import { headOf, sizeOf } from '../graph/index.js';
import { Random } from '../random.js';
import { openBertEngine } from './bert-engine.js';
import { DeviceEngine } from './device-engine.js';
import { openNetworkEngine } from './network-engine.js';
import { restoreState, saveState, saveWeights } from './state-file.js';
import { type EngineSettings, staysOnDevice, type TrainingEngine } from './training-engine.js';
import type { NetworkSetup, TrainingService, TrainingSetup } from './training-worker.js';

const INITIAL_DEVIATION = 0.02;

/** A tensor of each head, as it is stored. */
const stored = {
  classifier: /classifier\.weight$|^output_weights$/,
  predictions: /cls[./]predictions[./]transform/,
};

/** An engine with the weights of a model and without moments. A model without the head that is trained gets a new one. */
function startFromModel(folder: string, settings: EngineSettings): Promise<TrainingEngine> {
  return closing(openCheckpoint(folder), (checkpoint) => {
    const head = headOf(settings.loss);
    const hasHead = [...checkpoint.tensors.keys()].some((name) => stored[head].test(name));
    const weights = bertWeights(checkpoint, settings.config, { head: hasHead ? head : 'none' });
    const made = newWeights(settings);
    return openEngine(settings, (name) => (weights.shapes.has(name) ? weights.get(name) : made(name)));
  });
}

function openEngine(
  settings: EngineSettings,
  weight: (name: string) => Promise<Float32Array>,
): Promise<TrainingEngine> {
  return staysOnDevice(settings) ? DeviceEngine.open(settings, weight) : openBertEngine(settings, weight);
}

/** New weights, by name. */
function newWeights({ config, loss, seed }: EngineSettings): (name: string) => Promise<Float32Array> {
  const shapes = bertTensorShapes(config, headOf(loss));
  return async (name) => newTensor(name, shapes.get(name)!, seed);
}

/** New weights as BERT's: normally distributed (Box and Muller), biases 0, the gain of LayerNorm 1. */
function newTensor(name: string, shape: readonly number[], seed: number): Float32Array {
  const values = new Float32Array(sizeOf(shape));
  if (name.endsWith('bias')) return values;
  if (name.endsWith('LayerNorm.weight')) return values.fill(1);
  const random = new Random('new weights', seed, name);
  return values.map(
    () =>
      INITIAL_DEVIATION * Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit()),
  );
}

async function startFromState(file: string, settings: EngineSettings): Promise<TrainingEngine> {
  const shapes = bertTensorShapes(settings.config, headOf(settings.loss));
  const engine = await openEngine(settings, async (name) => new Float32Array(sizeOf(shapes.get(name)!)));
  await restoreState(engine.parameters.values(), file);
  return engine;
}

async function openBert({ settings, start }: TrainingSetup): Promise<TrainingEngine> {
  if (start === 'new weights') return openEngine(settings, newWeights(settings));
  return 'model' in start ? startFromModel(start.model, settings) : startFromState(start.state, settings);
}

async function openNetwork({ network, settings, state }: NetworkSetup) {
  const engine = await openNetworkEngine(network, settings);
  if (state !== undefined) await restoreState(engine.parameters.values(), state);
  return engine;
}

function serviceOf<Batch, Scored>(
  engine: TrainingEngine<Batch, Scored>,
  nameInFile?: (name: string) => string,
): TrainingService<Batch, Scored> {
  return {
    steps: (steps) => engine.steps(steps),
    score: (batches, step) => engine.score(batches, step),
    saveState: (file) => saveState(engine.parameters.values(), file),
    saveModel: (file) => saveWeights(engine.parameters.values(), file, nameInFile),
    release: () => engine.release(),
  };
}

/** The worker of a training: owns the engine. */
await serve(async (setup: TrainingSetup | NetworkSetup) =>
  'network' in setup ? serviceOf(await openNetwork(setup)) : serviceOf(await openBert(setup), storedName),
);
