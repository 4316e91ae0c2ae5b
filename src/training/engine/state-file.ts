import { type CheckpointFile, openCheckpoint, writeSafetensors } from '../../bert/checkpoint/index.js';
import { BertQeError } from '../../common/errors.js';
import { STATE, stateName } from '../graph/index.js';
import { EmbeddingTable } from './parameter.js';
import type { TrainedTensor } from './training-engine.js';

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
