import { openCheckpoint, type TensorToWrite, writeSafetensors } from '../../bert/checkpoint/index.js';
import { BertQeError } from '../../common/errors.js';
import type { Moments, NetworkEngine } from './engine.js';
import type { Network } from './network.js';

const ARRAYS = ['values', 'm', 'v'] as const;

/** Writes values and moments, from which training can be resumed. */
export async function saveNetworkState({ parameters }: NetworkEngine, file: string): Promise<void> {
  const tensors = parameters.flatMap((parameter) =>
    ARRAYS.map((array): TensorToWrite => {
      const { name, shape } = parameter;
      return { name: `${array} of ${name}`, shape, values: parameter[array] };
    }),
  );
  await writeSafetensors(file, tensors);
}

/** Writes the values under the names of the parameters. */
export async function saveNetwork({ parameters }: NetworkEngine, file: string): Promise<void> {
  await writeSafetensors(
    file,
    parameters.map(({ name, shape, values }) => ({ name, shape, values })),
  );
}

/** Reads what {@link saveNetworkState} wrote. */
export async function readMoments(
  file: string,
  network: Network,
): Promise<{ readonly network: Network; readonly moments: Moments }> {
  const [values, m, v] = await Promise.all(
    ARRAYS.map((array) => readTensors(file, network, (name) => `${array} of ${name}`)),
  );
  const named = network.parameters.map(({ name }, i) => [name, { m: m[i], v: v[i] }] as const);
  return {
    network: { ...network, parameters: network.parameters.map((one, i) => ({ ...one, values: values[i] })) },
    moments: new Map(named),
  };
}

/** Reads the values of a network's parameters, by the names under which a file has them. */
export async function readTensors(
  file: string,
  {
    parameters,
  }: { readonly parameters: readonly { readonly name: string; readonly shape: readonly number[] }[] },
  stored: (name: string) => string = (name) => name,
): Promise<Float32Array[]> {
  const checkpoint = await openCheckpoint(file);
  try {
    const found: Float32Array[] = [];
    for (const { name, shape } of parameters) {
      const info = checkpoint.tensors.get(stored(name));
      if (info === undefined || info.shape.join() !== shape.join()) {
        const problem =
          info === undefined ? 'is missing' : `is ${info.shape.join('×')}, not ${shape.join('×')}`;
        throw new BertQeError(
          'corrupt',
          `${file}: the tensor "${stored(name)}" ${problem}; train the model anew.`,
        );
      }
      found.push(await checkpoint.read(stored(name)));
    }
    return found;
  } finally {
    await checkpoint.close();
  }
}
