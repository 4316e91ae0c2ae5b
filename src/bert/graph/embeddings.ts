import type { ModelConfig } from '../config.js';
import type { Value } from '../onnx/graph.js';
import { type Context, layerNorm } from './context.js';
import type { Store } from './store.js';
import type { WeightReader } from './weight-reader.js';

/** The bias of masked attention scores: beside any score of a real model, its exponential is 0 in float32. */
export const MASK_BIAS = -10_000;

/** The slot of padding in padded graphs: the row after all others. */
export function paddingSlot({ typeVocabulary, maxPositions }: ModelConfig): number {
  return typeVocabulary * maxPositions;
}

/** The mask that is added to attention scores: 0 for tokens, {@link MASK_BIAS} for padding, `[batch, sequence]`. */
export function attentionMask(store: Store, config: ModelConfig, slots: Value): Value {
  const padding = paddingSlot(config);
  const table = store.floats('embeddings penalties', [padding + 1], async () =>
    new Float32Array(padding + 1).fill(MASK_BIAS, padding),
  );
  return store.graph.op('Gather', [table, slots]);
}

/**
 * The sums of a position's and a segment's embedding, in `rows` rows: a token's row, its slot, is
 * `segment · maxPositions + position`. Rows after the last slot are 0.
 */
export async function placeTable(
  weights: WeightReader,
  { hidden, typeVocabulary }: ModelConfig,
  rows: number,
): Promise<Float32Array> {
  const segments = await weights.tensor('embeddings.token_type_embeddings.weight');
  const positions = await weights.tensor('embeddings.position_embeddings.weight');
  const table = new Float32Array(rows * hidden);
  for (let segment = 0; segment < typeVocabulary; segment++) {
    const added = segments.subarray(segment * hidden, (segment + 1) * hidden);
    const moved = positions.map((value, i) => value + added[i % hidden]);
    table.set(moved, segment * positions.length);
  }
  return table;
}

/** Word, position and segment embeddings, summed and normalised: `[batch · sequence, hidden]`. */
export function embeddings(context: Context, ids: Value, slots: Value, shift: string | undefined): Value {
  const { graph, config, store } = context;
  const { vocabulary, hidden } = config;
  const rows = paddingSlot(config) + (context.mask ? 1 : 0);
  const flat = graph.integers([-1]);
  const word = store.rowsOf(
    'embeddings words',
    [vocabulary, hidden],
    () => store.weights.tensor('embeddings.word_embeddings.weight'),
    graph.op('Reshape', [ids, flat]),
  );
  const place = store.rowsOf(
    'embeddings slots',
    [rows, hidden],
    () => placeTable(store.weights, config, rows),
    graph.op('Reshape', [slots, flat]),
  );
  return layerNorm(context, graph.op('Add', [word, place]), 'embeddings.LayerNorm', shift);
}
