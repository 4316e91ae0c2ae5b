import { bertTensorShapes, bertWeights, openCheckpoint, storedName } from '../../bert/checkpoint/index.js';
import { serve } from '../../bert/runtime/index.js';
import { headOf } from '../graph/index.js';
import { Random } from '../random.js';
import { DeviceEngine } from './device-engine.js';
import { Engine } from './engine.js';
import { restoreState, saveState, saveWeights } from './state-file.js';
import { type EngineSettings, staysOnDevice, type TrainingEngine } from './training-engine.js';
import type { TrainingService, TrainingSetup } from './training-worker.js';

const INITIAL_DEVIATION = 0.02;

function openEngine(
  settings: EngineSettings,
  weight: (name: string) => Promise<Float32Array>,
): Promise<TrainingEngine> {
  return (staysOnDevice(settings) ? DeviceEngine : Engine).open(settings, weight);
}

/** A tensor of each head, as it is stored. */
const stored = {
  classifier: /classifier\.weight$|^output_weights$/,
  predictions: /cls[./]predictions[./]transform/,
};

/** An engine with the weights of a model and without moments. A model without the head that is trained gets a new one. */
async function startFromModel(folder: string, settings: EngineSettings): Promise<TrainingEngine> {
  const checkpoint = await openCheckpoint(folder);
  try {
    const head = headOf(settings.loss);
    const hasHead = [...checkpoint.tensors.keys()].some((name) => stored[head].test(name));
    const weights = bertWeights(checkpoint, settings.config, { head: hasHead ? head : 'none' });
    const made = newWeights(settings);
    return await openEngine(settings, (name) => (weights.shapes.has(name) ? weights.get(name) : made(name)));
  } finally {
    await checkpoint.close();
  }
}

/** New weights, by name. */
function newWeights({ config, loss, seed }: EngineSettings): (name: string) => Promise<Float32Array> {
  const shapes = bertTensorShapes(config, headOf(loss));
  return async (name) => newTensor(name, shapes.get(name)!, seed);
}

/** New weights as BERT's: normally distributed (Box and Muller), biases 0, the gain of LayerNorm 1. */
function newTensor(name: string, shape: readonly number[], seed: number): Float32Array {
  const values = zeros(shape);
  if (name.endsWith('bias')) return values;
  if (name.endsWith('LayerNorm.weight')) return values.fill(1);
  const random = new Random('new weights', seed, name);
  return values.map(
    () =>
      INITIAL_DEVIATION * Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit()),
  );
}

function zeros(shape: readonly number[]): Float32Array {
  return new Float32Array(shape.reduce((product, dim) => product * dim, 1));
}

async function startFromState(file: string, settings: EngineSettings): Promise<TrainingEngine> {
  const shapes = bertTensorShapes(settings.config, headOf(settings.loss));
  const engine = await openEngine(settings, async (name) => zeros(shapes.get(name)!));
  await restoreState(engine.parameters.values(), file);
  return engine;
}

/** The training worker: owns the engine. */
await serve(async ({ settings, start }: TrainingSetup): Promise<TrainingService> => {
  const engine = await (start === 'new weights'
    ? openEngine(settings, newWeights(settings))
    : 'model' in start
      ? startFromModel(start.model, settings)
      : startFromState(start.state, settings));
  return {
    steps: (steps) => engine.steps(steps),
    score: (batches, step) => engine.score(batches, step),
    saveState: (file) => saveState(engine.parameters.values(), file),
    saveModel: (file) => saveWeights(engine.parameters.values(), file, storedName),
    release: () => engine.release(),
  };
});
