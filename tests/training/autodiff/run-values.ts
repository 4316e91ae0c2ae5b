import { InferenceSession, Tensor } from 'onnxruntime-node';
import { type Graph, modelBytes } from '../../../src/bert/onnx/index.js';

export interface Numbers {
  readonly dims: readonly number[];
  readonly values: Float32Array;
}

/** A graph ready to be run on named arrays of floats, over and over. */
export async function runner(
  graph: Graph,
): Promise<(feeds: ReadonlyMap<string, Numbers>) => Promise<Map<string, Float32Array>>> {
  const session = await InferenceSession.create(await modelBytes(graph), {
    intraOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  });
  return async (feeds) => {
    const tensors = [...feeds].map(
      ([name, { dims, values }]) => [name, new Tensor('float32', values, [...dims])] as const,
    );
    const result = await session.run(Object.fromEntries(tensors));
    return new Map(Object.entries(result).map(([name, tensor]) => [name, tensor.data as Float32Array]));
  };
}
