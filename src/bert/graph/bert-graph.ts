import type { BertWeights } from '../checkpoint/index.js';
import { ElementType, Graph, type Value } from '../onnx/index.js';
import type { AttentionStyle } from './attention.js';
import type { Context } from './context.js';
import { embeddings } from './embeddings.js';
import { attentionBias, dense, encoderLayer, firstTokenLayer } from './encoder-layer.js';
import { GRAPH_IDS, GRAPH_LOGITS, GRAPH_SLOTS } from './names.js';
import { floatProducts, type Products } from './products.js';
import { Store } from './store.js';
import { WeightReader } from './weight-reader.js';

/** How a graph computes. */
export interface Arithmetic {
  readonly float: 'float32' | 'float16';
  /** Default: what is fastest on a CPU. */
  readonly attention?: AttentionStyle;
  /** Products over all tokens, where they are not those of floats. */
  readonly products?: (store: Store, floats: Products) => Products;
}

/** With this many heads or fewer, a chain of products per head beats the fused operator on a CPU. */
const FEW_HEADS = 4;

/**
 * The forward pass of a BERT cross-encoder, from token ids to logits, for batches of sequences of one length:
 * there is no padding and no mask. Weights are read when the graph is written.
 */
export function bertGraph(source: BertWeights, arithmetic: Arithmetic = { float: 'float32' }): Graph {
  const graph = new Graph('bert-qe cross-encoder');
  const { config } = source;
  const ids = graph.input(GRAPH_IDS, 'int32', ['batch', 'sequence']);
  const slots = graph.input(GRAPH_SLOTS, 'int32', ['batch', 'sequence']);
  const extent = graph.op('Shape', [ids]);
  const store = new Store(graph, new WeightReader(source), arithmetic.float);
  const floats = floatProducts(store);
  const context: Context = {
    graph,
    config,
    store,
    attention: arithmetic.attention ?? (config.heads <= FEW_HEADS ? 'by head' : 'fused'),
    exact: (rows) => floats(rows, { name: 'first token', uneven: true }),
    products: arithmetic.products?.(store, floats) ?? floats,
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

/** BERT's pooler (dense + tanh) and the relevance classifier on top of it; logits are always float32. */
function classifier(context: Context, first: Value): Value {
  const { graph, exact, store } = context;
  const pooled = graph.op('Tanh', [dense(context, exact(first), 'pooler.dense')]);
  const logits = dense(context, exact(pooled), 'classifier');
  return store.float === 'float32' ? logits : graph.op('Cast', [logits], { to: ElementType.float32 });
}
