import {
  bertTensorShapes,
  bertWeights,
  type CheckpointFile,
  openCheckpoint,
  writeSafetensors,
} from '../../bert/checkpoint/index.js';
import { BertQeError } from '../../common/errors.js';
import { STATE, stateName } from '../graph/index.js';
import { Random } from '../random.js';
import { DeviceEngine } from './device-engine.js';
import { Engine } from './engine.js';
import { EmbeddingTable } from './parameter.js';
import {
  type EngineSettings,
  staysOnDevice,
  type TrainedTensor,
  type TrainingEngine,
} from './training-engine.js';

/** The standard deviation of BERT's initialiser. */
const INITIAL_DEVIATION = 0.02;

function openEngine(
  settings: EngineSettings,
  weight: (name: string) => Promise<Float32Array>,
): Promise<TrainingEngine> {
  return (staysOnDevice(settings) ? DeviceEngine : Engine).open(settings, weight);
}

/** An engine with the weights of a model and without moments. A pre-trained model gets a new classifier. */
export async function startFromModel(folder: string, settings: EngineSettings): Promise<TrainingEngine> {
  const checkpoint = await openCheckpoint(folder);
  try {
    const hasHead = [...checkpoint.tensors.keys()].some((name) =>
      /classifier\.weight$|^output_weights$/.test(name),
    );
    const weights = bertWeights(checkpoint, settings.config, { head: hasHead ? 'classifier' : 'none' });
    const shapes = bertTensorShapes(settings.config);
    return await openEngine(settings, async (name) =>
      weights.shapes.has(name) ? weights.get(name) : newWeights(name, shapes.get(name)!, settings.seed),
    );
  } finally {
    await checkpoint.close();
  }
}

/** New weights: normally distributed (Box and Muller), biases 0. */
function newWeights(name: string, shape: readonly number[], seed: number): Float32Array {
  const values = zeros(shape);
  if (name.endsWith('bias')) return values;
  const random = new Random('new weights', seed, name);
  return values.map(
    () =>
      INITIAL_DEVIATION * Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit()),
  );
}

function zeros(shape: readonly number[]): Float32Array {
  return new Float32Array(shape.reduce((product, dim) => product * dim, 1));
}

/** An engine with a saved state. */
export async function startFromState(file: string, settings: EngineSettings): Promise<TrainingEngine> {
  const shapes = bertTensorShapes(settings.config);
  const engine = await openEngine(settings, async (name) => zeros(shapes.get(name)!));
  await restoreState(engine.parameters.values(), file);
  return engine;
}

/** Writes weights and moments, from which training can be resumed. */
export async function saveState(parameters: Iterable<TrainedTensor>, file: string): Promise<void> {
  const tensors = [...parameters].flatMap((parameter) =>
    STATE.map((array) => ({
      name: stateName(parameter, array),
      shape: parameter.shape,
      values: parameter[array],
    })),
  );
  await writeSafetensors(file, tensors);
}

/** Reads what {@link saveState} wrote. */
export async function restoreState(parameters: Iterable<TrainedTensor>, file: string): Promise<void> {
  const checkpoint = await openCheckpoint(file);
  try {
    for (const parameter of parameters) {
      for (const array of STATE) {
        parameter[array].set(await readTensor(checkpoint, stateName(parameter, array), parameter.shape));
      }
      if (parameter instanceof EmbeddingTable) parameter.findMoving();
    }
  } finally {
    await checkpoint.close();
  }
}

/** Writes the weights; `storedAs` gives their names in the file. */
export async function saveWeights(
  parameters: Iterable<TrainedTensor>,
  file: string,
  storedAs: (name: string) => string = (name) => name,
): Promise<void> {
  await writeSafetensors(
    file,
    Array.from(parameters, ({ name, shape, values }) => ({ name: storedAs(name), shape, values })),
  );
}

/** Reads the values of a network's parameters. */
export async function readTensors(
  file: string,
  parameters: readonly Pick<TrainedTensor, 'name' | 'shape'>[],
): Promise<Float32Array[]> {
  const checkpoint = await openCheckpoint(file);
  try {
    const found: Float32Array[] = [];
    for (const { name, shape } of parameters) found.push(await readTensor(checkpoint, name, shape));
    return found;
  } finally {
    await checkpoint.close();
  }
}

async function readTensor(
  checkpoint: CheckpointFile,
  name: string,
  shape: readonly number[],
): Promise<Float32Array> {
  const found = checkpoint.tensors.get(name)?.shape;
  if (found?.join() === shape.join()) return checkpoint.read(name);
  const problem = found === undefined ? 'is missing' : `is ${found.join('×')}, not ${shape.join('×')}`;
  throw new BertQeError(
    'corrupt',
    `${checkpoint.path}: the tensor "${name}" ${problem}; train the model anew.`,
  );
}
