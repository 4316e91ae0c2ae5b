import type { BertWeights } from '../checkpoint/index.js';
import { Graph, type Value } from '../onnx/index.js';
import type { Context } from './context.js';
import { embeddings } from './embeddings.js';
import { attentionBias, encoderLayer, firstTokenLayer } from './encoder-layer.js';
import { linear } from './linear.js';
import { floatProducts } from './products.js';
import { WeightReader } from './weight-reader.js';

/** Names of the graph's inputs and output. */
export const GRAPH_IDS = 'input_ids';
export const GRAPH_SLOTS = 'slots';
export const GRAPH_LOGITS = 'logits';

/**
 * The forward pass of a BERT cross-encoder, from token ids to logits, for batches of sequences of one length:
 * there is no padding and no mask. Weights are read when the graph is written.
 */
export function bertGraph(source: BertWeights): Graph {
  const graph = new Graph('bert-qe cross-encoder');
  const { config } = source;
  const ids = graph.input(GRAPH_IDS, 'int32', ['batch', 'sequence']);
  const slots = graph.input(GRAPH_SLOTS, 'int32', ['batch', 'sequence']);
  const extent = graph.op('Shape', [ids]);
  const weights = new WeightReader(source);
  const exactProducts = floatProducts(graph, weights);
  const context: Context = {
    graph,
    config,
    weights,
    exactProducts,
    products: exactProducts,
    shape: (...tail) => graph.op('Concat', [extent, graph.integers(tail)], { axis: 0 }),
  };
  const last = config.layers - 1;
  const carried = (layer: number) => (layer < last ? attentionBias(layer) : undefined);
  let x = embeddings(context, ids, slots, carried(0));
  for (let layer = 0; layer < last; layer++) x = encoderLayer(context, x, layer, carried(layer + 1));
  const logits = classifier(context, firstTokenLayer(context, x, last));
  graph.output(logits, GRAPH_LOGITS, 'float32', ['batch', config.labels]);
  return graph;
}

/** BERT's pooler (dense + tanh) and the relevance classifier on top of it. */
function classifier(context: Context, first: Value): Value {
  const { graph, exactProducts } = context;
  const pooled = graph.op('Tanh', [linear(context, exactProducts(first), { layer: 'pooler.dense' })]);
  return linear(context, exactProducts(pooled), { layer: 'classifier' });
}
