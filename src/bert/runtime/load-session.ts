import type { InferenceSession } from 'onnxruntime-node';
import { failureError, inputError, reasonOf } from '../../common/errors.js';
import { bytesMayOverflow } from './machine.js';
import { isOutOfMemory } from './failures.js';

export const deviceNames = ['cpu', 'webgpu', 'cuda'] as const;
/** The device that computes. */
export type Device = (typeof deviceNames)[number];

export interface SessionOptions {
  /** Weights are kept in 16 bits and widened in every run; widened once, they would take twice the memory. */
  readonly widensWeights?: boolean;
  /** The number of the card (0). */
  readonly card?: number;
}

/** Session options that turn off the optimizers which would widen such weights when they are loaded. */
export const WIDEN_IN_RUNS = {
  optimization: { disable_specified_optimizers: 'ConstantFolding;FuseFp16InitializerToFp32NodeTransformer' },
} as const;

/** The options of every session, with further entries of its configuration. */
export function sessionOptions(
  device: Device,
  threads: number,
  extra: { readonly session: Readonly<Record<string, string>> },
  card = 0,
): InferenceSession.SessionOptions {
  return {
    // Operators that the device does not have run on the CPU.
    executionProviders:
      device === 'cpu' ? ['cpu'] : [card === 0 ? device : { name: 'cuda', deviceId: card }, 'cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    // Batches differ in shape, and memory would be planned for each.
    enableMemPattern: false,
    // On CUDA what exceeds the memory of a card is run again in parts; every failure is thrown as well as logged.
    logSeverityLevel: device === 'cuda' ? 4 : 3,
    extra: {
      ...extra,
      session: {
        // Waiting threads must sleep: spinning would take the cores from other workers and from the main thread.
        intra_op: { allow_spinning: '0' },
        inter_op: { allow_spinning: '0' },
        ...extra.session,
      },
    },
  };
}

/**
 * Loads an ONNX file. Called in worker threads only: loading and running block their thread, which may not end inside
 * onnxruntime (see exit-guard.ts).
 */
export async function loadSession(
  path: string,
  device: Device,
  threads: number,
  { widensWeights = false, card = 0 }: SessionOptions = {},
): Promise<InferenceSession> {
  try {
    const runtime = await import('onnxruntime-node');
    const session = { x64quantprecision: bytesMayOverflow() ? '1' : '0' };
    const extra = { session, ...(widensWeights && WIDEN_IN_RUNS) };
    return await runtime.InferenceSession.create(path, sessionOptions(device, threads, extra, card));
  } catch (error) {
    if (isOutOfMemory(error)) {
      throw failureError(`${path}: the memory of ${device} does not hold it`, error);
    }
    throw inputError(`${path}: onnxruntime cannot load it on ${device}: ${reasonOf(error)}`, error);
  }
}
