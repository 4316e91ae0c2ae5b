import { InferenceSession } from 'onnxruntime-node';
import { BertQeError, reasonOf } from '../../errors.js';
import { bytesMayOverflow } from './byte-products.js';

/** Where the computation runs. */
export type Device = 'cpu' | 'webgpu' | 'cuda';

/**
 * Loads an ONNX file. Only ever called in a worker thread: loading and running block the thread they are on,
 * and onnxruntime must be left before the thread may end (see exit-guard.ts).
 */
export async function loadSession(path: string, device: Device, threads: number): Promise<InferenceSession> {
  try {
    return await InferenceSession.create(path, {
      executionProviders: device === 'cpu' ? ['cpu'] : [device, 'cpu'],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      graphOptimizationLevel: 'all',
      // Batches differ in shape: memory would be planned anew for each.
      enableMemPattern: false,
      logSeverityLevel: 3,
      extra: {
        session: {
          // Waiting threads must sleep: spinning takes the cores from other workers and from the main thread.
          intra_op: { allow_spinning: '0' },
          inter_op: { allow_spinning: '0' },
          x64quantprecision: bytesMayOverflow() ? '1' : '0',
        },
      },
    });
  } catch (error) {
    throw new BertQeError('input', `${path}: onnxruntime cannot load it on ${device}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}
