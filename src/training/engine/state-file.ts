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
import { Engine, type EngineSettings } from './engine.js';
import { Table } from './parameter.js';

/** The arrays of a parameter that outlive a step, by the name they are stored under. */
const ARRAYS = ['values', 'm', 'v'] as const;

/** How far new weights reach: BERT's initialiser has this standard deviation. */
const NEW_WEIGHTS = 0.02;

/** An engine with the weights of a model and no moments. A model that was only pre-trained gets a head. */
export async function startFromModel(folder: string, settings: EngineSettings): Promise<Engine> {
  const checkpoint = await openCheckpoint(folder);
  try {
    const hasHead = [...checkpoint.tensors.keys()].some((name) =>
      /classifier\.weight$|^output_weights$/.test(name),
    );
    const weights = bertWeights(checkpoint, settings.config, { head: hasHead ? 'classifier' : 'none' });
    const shapes = bertTensorShapes(settings.config);
    return await Engine.open(settings, async (name) =>
      weights.shapes.has(name) ? weights.get(name) : newWeights(name, shapes.get(name)!, settings.seed),
    );
  } finally {
    await checkpoint.close();
  }
}

/** Normally distributed weights (Box and Muller), biases of 0. */
function newWeights(name: string, shape: readonly number[], seed: number): Float32Array {
  const values = new Float32Array(shape.reduce((product, dim) => product * dim, 1));
  if (name.endsWith('bias')) return values;
  const random = new Random('new weights', seed, name);
  return values.map(
    () => NEW_WEIGHTS * Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit()),
  );
}

/** An engine as it was when its state was saved. */
export async function startFromState(file: string, settings: EngineSettings): Promise<Engine> {
  const checkpoint = await openCheckpoint(file);
  try {
    const read = async (array: (typeof ARRAYS)[number], name: string): Promise<Float32Array> => {
      const stored = `${array} of ${name}`;
      if (!checkpoint.tensors.has(stored)) {
        throw new BertQeError('corrupt', `${file}: "${stored}" is missing; start the training anew.`);
      }
      return checkpoint.read(stored);
    };
    const engine = await Engine.open(settings, (name) => read('values', name));
    for (const parameter of engine.parameters.values()) {
      parameter.m.set(await read('m', parameter.name));
      parameter.v.set(await read('v', parameter.name));
      if (parameter instanceof Table) parameter.findMoving();
    }
    return engine;
  } finally {
    await checkpoint.close();
  }
}

export async function saveState({ parameters }: Engine, file: string): Promise<void> {
  const tensors: TensorToWrite[] = [];
  for (const parameter of parameters.values()) {
    for (const array of ARRAYS) {
      const { name, shape } = parameter;
      tensors.push({ name: `${array} of ${name}`, shape, values: parameter[array] });
    }
  }
  await writeSafetensors(file, tensors);
}

export async function saveModel({ parameters }: Engine, file: string): Promise<void> {
  const tensors = [...parameters.values()].map(({ name, shape, values }) => ({
    name: storedName(name),
    shape,
    values,
  }));
  await writeSafetensors(file, tensors);
}
