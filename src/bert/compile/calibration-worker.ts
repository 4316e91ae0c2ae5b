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
    for (const [name, { data }] of Object.entries(outputs)) {
      const values = data as Float32Array;
      if (name.endsWith(LEAST)) extend(found, name.slice(0, -LEAST.length), 'min', values);
      if (name.endsWith(GREATEST)) extend(found, name.slice(0, -GREATEST.length), 'max', values);
      if (name.endsWith(MOMENTS)) addMoments(found, name.slice(0, -MOMENTS.length), values);
    }
  }
  return found;
}

function extend(
  found: Map<string, ObservedChannels>,
  operand: string,
  end: 'min' | 'max',
  values: Float32Array,
): void {
  const known = seen(found, operand, values.length);
  values.forEach((value, channel) => (known[end][channel] = Math[end](known[end][channel], value)));
}

function addMoments(found: Map<string, ObservedChannels>, operand: string, values: Float32Array): void {
  const known = seen(found, operand, Math.sqrt(values.length));
  const moments = known.moments ?? new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) moments[i] += values[i];
  found.set(operand, { ...known, moments });
}

function seen(found: Map<string, ObservedChannels>, operand: string, channels: number): ObservedChannels {
  return getOrInsert(found, operand, () => ({
    min: new Float32Array(channels),
    max: new Float32Array(channels),
  }));
}
