import type { Value } from '../onnx/index.js';
import { type Context, layerNorm } from './context.js';
import { mapped } from './matrices.js';

/**
 * Word, position and segment embeddings, summed and normalised: `[batch · sequence, hidden]`. Positions and
 * segments share one table; a token's row in it, its slot, is `segment · maxPositions + position`.
 */
export function embeddings(context: Context, ids: Value, slots: Value, shift: string | undefined): Value {
  const { graph, config, stream } = context;
  const { vocabulary, hidden, maxPositions, typeVocabulary } = config;
  const words = stream.floats('embeddings words', [vocabulary, hidden], () =>
    stream.weights.tensor('embeddings.word_embeddings.weight'),
  );
  const places = stream.floats('embeddings slots', [typeVocabulary * maxPositions, hidden], async () => {
    const segments = await stream.weights.tensor('embeddings.token_type_embeddings.weight');
    const positions = await stream.weights.tensor('embeddings.position_embeddings.weight');
    const table = new Float32Array(typeVocabulary * positions.length);
    for (let segment = 0; segment < typeVocabulary; segment++) {
      const added = segments.subarray(segment * hidden, (segment + 1) * hidden);
      const moved = mapped(positions, (value, i) => value + added[i % hidden]);
      table.set(moved, segment * positions.length);
    }
    return table;
  });
  const flat = graph.integers([-1]);
  const word = graph.op('Gather', [words, graph.op('Reshape', [ids, flat])]);
  const place = graph.op('Gather', [places, graph.op('Reshape', [slots, flat])]);
  return layerNorm(context, graph.op('Add', [word, place]), 'embeddings.LayerNorm', shift);
}
