import { InferenceSession } from 'onnxruntime-node';
import type { Device } from '../../bert/index.js';
import { type Graph, modelBytes } from '../../bert/onnx/index.js';
import { inputError, reasonOf } from '../../common/errors.js';

/** Opens a session of a graph whose weights are inputs. Runs block the thread. */
export async function openGraph(graph: Graph, device: Device, threads: number): Promise<InferenceSession> {
  return openModel(await modelBytes(graph), device, threads);
}

/** Opens a session of a graph that is written already. */
export function openModel(bytes: Uint8Array, device: Device, threads: number): Promise<InferenceSession> {
  return InferenceSession.create(bytes, {
    // Operators that the device does not have run on the CPU.
    executionProviders: device === 'cpu' ? ['cpu'] : [device, 'cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    // Planning memory per shape doubles memory without saving time.
    enableMemPattern: false,
    // Steps that exceed the memory of a card are taken again in smaller parts; every failure is thrown as well.
    logSeverityLevel: device === 'cuda' ? 4 : 3,
    extra: {
      session: {
        intra_op: { allow_spinning: '0' },
        inter_op: { allow_spinning: '0' },
        // Some gradients are denormal numbers, with which arithmetic is a hundred times slower.
        set_denormal_as_zero: '1',
      },
    },
  }).catch((error: unknown) => {
    if (device === 'cpu') throw error;
    throw inputError(`Training cannot run on ${device}: ${reasonOf(error)}; try --device cpu.`, error);
  });
}
