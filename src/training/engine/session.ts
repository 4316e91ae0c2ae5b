import { InferenceSession } from 'onnxruntime-node';
import type { Device } from '../../bert/index.js';
import { type Graph, modelBytes } from '../../bert/onnx/index.js';
import { sessionOptions } from '../../bert/runtime/index.js';
import { inputError, reasonOf } from '../../common/errors.js';

/** Opens a session of a graph whose weights are inputs. Runs block the thread. */
export async function openGraph(graph: Graph, device: Device, threads: number): Promise<InferenceSession> {
  return openModel(await modelBytes(graph), device, threads);
}

/** Opens a session of a graph that is written already. */
export function openModel(bytes: Uint8Array, device: Device, threads: number): Promise<InferenceSession> {
  // Some gradients are denormal numbers, with which arithmetic is a hundred times slower.
  const options = sessionOptions(device, threads, { session: { set_denormal_as_zero: '1' } });
  return InferenceSession.create(bytes, options).catch((error: unknown) => {
    if (device === 'cpu') throw error;
    throw inputError(`Training cannot run on ${device}: ${reasonOf(error)}; try --device cpu.`, error);
  });
}
