import { type CheckpointFile, openCheckpoint, writeSafetensors } from '../../bert/checkpoint/index.js';
import { closing } from '../../common/closing.js';
import { corruptError } from '../../common/errors.js';
import { STATE, stateName } from '../graph/index.js';
import type { NetworkParameter } from './network-engine.js';
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
  await closing(openCheckpoint(file), async (checkpoint) => {
    for (const parameter of parameters) {
      for (const array of STATE) {
        parameter[array].set(await readTensor(checkpoint, stateName(parameter, array), parameter.shape));
      }
      if (parameter instanceof EmbeddingTable) parameter.findMoving();
    }
  });
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

/** The tensors of a network's file of weights. */
export function readWeights(
  file: string,
  shapes: ReadonlyMap<string, readonly number[]>,
): Promise<NetworkParameter[]> {
  return closing(openCheckpoint(file), async (checkpoint) => {
    const found: NetworkParameter[] = [];
    for (const [name, shape] of shapes) {
      found.push({ name, shape, values: await readTensor(checkpoint, name, shape) });
    }
    return found;
  });
}

async function readTensor(
  checkpoint: CheckpointFile,
  name: string,
  shape: readonly number[],
): Promise<Float32Array> {
  const found = checkpoint.tensors.get(name)?.shape;
  if (found?.join() === shape.join()) return checkpoint.read(name);
  const problem = found === undefined ? 'is missing' : `is ${found.join('×')}, not ${shape.join('×')}`;
  throw corruptError(`${checkpoint.path}: the tensor "${name}" ${problem}; train the model anew.`);
}
