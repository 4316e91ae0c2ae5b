import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { type ChannelRange, GRAPH_IDS, GRAPH_SLOTS, GREATEST, LEAST } from '../graph/index.js';
import { loadSession, serve, type WorkerService } from '../runtime/index.js';

export interface CalibrationSequence {
  readonly ids: Int32Array;
  readonly slots: Int32Array;
}

/** The service of a calibration worker, which loads a graph with observed products. */
export interface CalibrationService extends WorkerService {
  /** The range of every channel over all sequences, by operand name. */
  observe(sequences: readonly CalibrationSequence[]): Promise<Map<string, ChannelRange>>;
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
): Promise<Map<string, ChannelRange>> {
  const found = new Map<string, ChannelRange>();
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
    }
  }
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
