import { InferenceSession } from 'onnxruntime-node';
import { type Graph, modelBytes } from '../../bert/onnx/index.js';

/** Loads a graph whose weights are fed. Only ever called where the thread may block (a worker, a test). */
export async function openGraph(graph: Graph, threads: number): Promise<InferenceSession> {
  return InferenceSession.create(await modelBytes(graph), {
    executionProviders: ['cpu'],
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
  });
}
