import {
  bertTensorShapes,
  bertWeights,
  openCheckpoint,
  storedName,
  type TensorToWrite,
  writeSafetensors,
} from '../../bert/checkpoint/index.js';
import { BertQeError } from '../../common/errors.js';
import { Random } from '../random.js';
import { DeviceEngine } from './device-engine.js';
import { Engine } from './engine.js';
import { EmbeddingTable } from './parameter.js';
import { type EngineSettings, staysOnDevice, type TrainingEngine } from './training-engine.js';

/** The arrays of a parameter that a state file holds. */
const ARRAYS = ['values', 'm', 'v'] as const;

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
  const values = new Float32Array(shape.reduce((product, dim) => product * dim, 1));
  if (name.endsWith('bias')) return values;
  const random = new Random('new weights', seed, name);
  return values.map(
    () =>
      INITIAL_DEVIATION * Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit()),
  );
}

/** An engine with a saved state. */
export async function startFromState(file: string, settings: EngineSettings): Promise<TrainingEngine> {
  const checkpoint = await openCheckpoint(file);
  try {
    const read = async (array: (typeof ARRAYS)[number], name: string): Promise<Float32Array> => {
      const stored = `${array} of ${name}`;
      if (!checkpoint.tensors.has(stored)) {
        throw new BertQeError('corrupt', `${file}: "${stored}" is missing; start the training anew.`);
      }
      return checkpoint.read(stored);
    };
    const engine = await openEngine(settings, (name) => read('values', name));
    for (const parameter of engine.parameters.values()) {
      parameter.m.set(await read('m', parameter.name));
      parameter.v.set(await read('v', parameter.name));
      if (parameter instanceof EmbeddingTable) parameter.findMoving();
    }
    return engine;
  } finally {
    await checkpoint.close();
  }
}

/** Writes weights and moments, from which training can be resumed. */
export async function saveState({ parameters }: TrainingEngine, file: string): Promise<void> {
  const tensors: TensorToWrite[] = [];
  for (const parameter of parameters.values()) {
    for (const array of ARRAYS) {
      const { name, shape } = parameter;
      tensors.push({ name: `${array} of ${name}`, shape, values: parameter[array] });
    }
  }
  await writeSafetensors(file, tensors);
}

/** Writes the weights under the names that models use. */
export async function saveModel({ parameters }: TrainingEngine, file: string): Promise<void> {
  const tensors = [...parameters.values()].map(({ name, shape, values }) => ({
    name: storedName(name),
    shape,
    values,
  }));
  await writeSafetensors(file, tensors);
}
