import { InferenceSession } from 'onnxruntime-node';
import { BertQeError, reasonOf } from '../../common/errors.js';
import { bytesMayOverflow } from './byte-products.js';

/** Where the computation runs. */
export type Device = 'cpu' | 'webgpu' | 'cuda';

export interface LoadOptions {
  /** Weights are kept in 16 bits and widened in every run: done once, ahead of all, that would take twice the memory. */
  readonly widensWeights?: boolean;
}

/** Session options without those of onnxruntime's optimizers that would widen such weights when they are loaded. */
export const WIDEN_IN_RUNS = {
  optimization: { disable_specified_optimizers: 'ConstantFolding;FuseFp16InitializerToFp32NodeTransformer' },
} as const;

/**
 * Loads an ONNX file. Only ever called in a worker thread: loading and running block the thread they are on,
 * and onnxruntime must be left before the thread may end (see exit-guard.ts).
 */
export async function loadSession(
  path: string,
  device: Device,
  threads: number,
  { widensWeights = false }: LoadOptions = {},
): Promise<InferenceSession> {
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
        ...(widensWeights && WIDEN_IN_RUNS),
      },
    });
  } catch (error) {
    throw new BertQeError('input', `${path}: onnxruntime cannot load it on ${device}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}
