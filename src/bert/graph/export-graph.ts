import type { BertWeights } from '../checkpoint/index.js';
import { ElementType, float, Graph, type Value } from '../onnx/graph.js';
import { activation } from './encoder-layer.js';
import { WeightReader } from './weight-reader.js';

/**
 * A BERT cross-encoder in the form in which models are exchanged: standard operators, int64 inputs, padded batches with
 * a mask. Its inputs have the names of Hugging Face's exporter, which Transformers.js and others expect. It follows the
 * model's definition line by line; bertGraph is the fast one.
 */
export function exportGraph(source: BertWeights): Graph {
  const { config } = source;
  const { hidden, heads, maxPositions, layerNormEps } = config;
  const size = hidden / heads;
  const graph = new Graph('bert cross-encoder');
  const weights = new WeightReader(source);
  const batch = ['batch_size', 'sequence_length'];
  const ids = graph.input('input_ids', 'int64', batch);
  const attended = graph.input('attention_mask', 'int64', batch);
  const types = graph.input('token_type_ids', 'int64', batch);

  const tensor = (name: string, dims: readonly number[]): Value =>
    graph.initializer(name, 'float32', dims, () => weights.tensor(name));
  const dense = (x: Value, layer: string): Value => {
    const { inputs, outputs } = weights.shape({ layer });
    const matrix = graph.initializer(`${layer}.weight`, 'float32', [inputs, outputs], () =>
      weights.matrix({ layer }),
    );
    return graph.op('Add', [graph.op('MatMul', [x, matrix]), tensor(`${layer}.bias`, [outputs])]);
  };
  const layerNorm = (x: Value, name: string): Value => {
    const inputs = [x, tensor(`${name}.weight`, [hidden]), tensor(`${name}.bias`, [hidden])];
    return graph.op('LayerNormalization', inputs, { epsilon: float(layerNormEps) });
  };
  const swapped = (x: Value): Value => graph.op('Transpose', [x], { perm: [0, 2, 1, 3] });
  const split = (x: Value): Value => swapped(graph.op('Reshape', [x, graph.integers([0, 0, heads, size])]));

  const embedding = (part: string, rows: number, index: Value): Value =>
    graph.op('Gather', [tensor(`embeddings.${part}_embeddings.weight`, [rows, hidden]), index]);
  const length = graph.op('Gather', [graph.op('Shape', [ids]), graph.integers([1], [])]);
  const positions = graph.op('Range', [graph.integers([0], []), length, graph.integers([1], [])]);
  const words = graph.op('Add', [
    embedding('word', config.vocabulary, ids),
    embedding('token_type', config.typeVocabulary, types),
  ]);
  const embedded = graph.op('Add', [words, embedding('position', maxPositions, positions)]);
  let x = layerNorm(embedded, 'embeddings.LayerNorm');

  // 0 for a token, the lowest float for padding: [batch, 1, 1, sequence].
  const kept = graph.op('Unsqueeze', [attended, graph.integers([1, 2])]);
  const padding = graph.op('Sub', [graph.scalar(1), graph.op('Cast', [kept], { to: ElementType.float32 })]);
  const mask = graph.op('Mul', [padding, graph.scalar(-3.4028234663852886e38)]);

  for (let layer = 0; layer < config.layers; layer++) {
    const name = `encoder.layer.${layer}`;
    const [q, k, v] = ['query', 'key', 'value'].map((part) =>
      split(dense(x, `${name}.attention.self.${part}`)),
    );
    const products = graph.op('MatMul', [q, graph.op('Transpose', [k], { perm: [0, 1, 3, 2] })]);
    const scores = graph.op('Add', [graph.op('Div', [products, graph.scalar(Math.sqrt(size))]), mask]);
    const mixed = graph.op('MatMul', [graph.op('Softmax', [scores], { axis: -1 }), v]);
    const joined = graph.op('Reshape', [swapped(mixed), graph.integers([0, 0, hidden])]);
    const self = graph.op('Add', [dense(joined, `${name}.attention.output.dense`), x]);
    const middle = layerNorm(self, `${name}.attention.output.LayerNorm`);
    const inner = activation({ graph, config }, dense(middle, `${name}.intermediate.dense`));
    const sum = graph.op('Add', [dense(inner, `${name}.output.dense`), middle]);
    x = layerNorm(sum, `${name}.output.LayerNorm`);
  }

  const first = graph.op('Gather', [x, graph.integers([0], [])], { axis: 1 });
  const logits = dense(graph.op('Tanh', [dense(first, 'pooler.dense')]), 'classifier');
  graph.output(logits, 'logits', 'float32', ['batch_size', config.labels]);
  return graph;
}
