import { InferenceSession } from 'onnxruntime-node';
import type { Device } from '../../bert/index.js';
import { type Graph, modelBytes } from '../../bert/onnx/index.js';
import { BertQeError, reasonOf } from '../../common/errors.js';

/** Loads a graph whose weights are fed. Only ever called where the thread may block (a worker, a test). */
export async function openGraph(graph: Graph, device: Device, threads: number): Promise<InferenceSession> {
  const bytes = await modelBytes(graph);
  return InferenceSession.create(bytes, {
    // What the device has no operator for runs on the CPU.
    executionProviders: device === 'cpu' ? ['cpu'] : [device, 'cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    // Memory planned per shape would be kept for every shape: twice as much, and no faster.
    enableMemPattern: false,
    logSeverityLevel: 3,
    extra: {
      session: {
        intra_op: { allow_spinning: '0' },
        inter_op: { allow_spinning: '0' },
        // Gradients pass through the range of denormals, where arithmetic is a hundred times slower.
        set_denormal_as_zero: '1',
      },
    },
  }).catch((error: unknown) => {
    if (device === 'cpu') throw error;
    throw new BertQeError(
      'input',
      `Training cannot run on ${device}: ${reasonOf(error)}; try --device cpu.`,
      {
        cause: error,
      },
    );
  });
}
