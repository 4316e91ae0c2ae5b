import { parentPort, workerData } from 'node:worker_threads';
import { Tensor } from 'onnxruntime-node';
import { reasonOf } from '../../common/errors.js';
import { type ChannelRange, GRAPH_IDS, GRAPH_SLOTS, GREATEST, LEAST } from '../graph/index.js';
import { type Guard, guarded, loadSession } from '../runtime/index.js';

export interface CalibrationSequence {
  readonly ids: Int32Array;
  readonly slots: Int32Array;
}

export interface CalibrationSetup {
  /** A graph with observed products. */
  readonly path: string;
  readonly sequences: readonly CalibrationSequence[];
  readonly guard: Guard;
}

/** The ranges by operand name, or why there are none. */
export type FromCalibration = Map<string, ChannelRange> | string;

const { path, sequences, guard } = workerData as CalibrationSetup;

async function ranges(): Promise<Map<string, ChannelRange>> {
  const session = await loadSession(path, 'cpu', 1);
  const found = new Map<string, ChannelRange>();
  for (const { ids, slots } of sequences) {
    const dims = [1, ids.length];
    const outputs = await session.run({
      [GRAPH_IDS]: new Tensor('int32', ids, dims),
      [GRAPH_SLOTS]: new Tensor('int32', slots, dims),
    });
    for (const [name, { data }] of Object.entries(outputs)) {
      if (name.endsWith(LEAST)) extend(found, name.slice(0, -LEAST.length), 'min', data as Float32Array);
      if (name.endsWith(GREATEST))
        extend(found, name.slice(0, -GREATEST.length), 'max', data as Float32Array);
    }
  }
  await session.release();
  return found;
}

function extend(
  found: Map<string, ChannelRange>,
  operand: string,
  end: 'min' | 'max',
  values: Float32Array,
): void {
  const known = found.get(operand) ?? {
    min: new Float32Array(values.length),
    max: new Float32Array(values.length),
  };
  found.set(operand, known);
  values.forEach((value, channel) => (known[end][channel] = Math[end](known[end][channel], value)));
}

const answer: FromCalibration = await guarded(guard, ranges).catch(reasonOf);
parentPort!.postMessage(answer, []);
