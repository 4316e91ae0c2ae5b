import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { getOrInsert } from '../../common/get-or-insert.js';
import { GRAPH_IDS, GRAPH_SLOTS, GREATEST, LEAST, MOMENTS } from '../graph/index.js';
import { loadSession, serve, type WorkerService } from '../runtime/index.js';
import type { ObservedChannels } from './int8-scales.js';

export interface CalibrationSequence {
  readonly ids: Int32Array;
  readonly slots: Int32Array;
}

/** The service of a calibration worker, which loads a graph with observed products. */
export interface CalibrationService extends WorkerService {
  /** Every channel over all sequences, by operand name. */
  observe(sequences: readonly CalibrationSequence[]): Promise<Map<string, ObservedChannels>>;
}

await serve(async (path: string): Promise<CalibrationService> => {
  const session = await loadSession(path, 'cpu', 1);
  return {
    observe: (sequences) => observe(session, sequences),
    release: () => session.release(),
  };
});

async function observe(
  session: InferenceSession,
  sequences: readonly CalibrationSequence[],
): Promise<Map<string, ObservedChannels>> {
  const found = new Map<string, ObservedChannels>();
  for (const { ids, slots } of sequences) {
    const dims = [1, ids.length];
    const outputs = await session.run({
      [GRAPH_IDS]: new Tensor('int32', ids, dims),
      [GRAPH_SLOTS]: new Tensor('int32', slots, dims),
    });
    for (const name of session.outputNames.filter((output) => output.endsWith(LEAST))) {
      const operand = name.slice(0, -LEAST.length);
      const valuesOf = (end: string) => outputs[`${operand}${end}`].data as Float32Array;
      const [least, greatest] = [valuesOf(LEAST), valuesOf(GREATEST)];
      const moments = Object.hasOwn(outputs, `${operand}${MOMENTS}`) ? valuesOf(MOMENTS) : undefined;
      const known = getOrInsert(found, operand, () => ({
        min: new Float32Array(least.length),
        max: new Float32Array(least.length),
        ...(moments && { moments: new Float64Array(moments.length) }),
      }));
      least.forEach((value, channel) => (known.min[channel] = Math.min(known.min[channel], value)));
      greatest.forEach((value, channel) => (known.max[channel] = Math.max(known.max[channel], value)));
      moments?.forEach((value, i) => (known.moments![i] += value));
    }
  }
  return found;
}
