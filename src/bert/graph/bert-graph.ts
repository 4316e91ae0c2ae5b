import type { BertWeights } from '../checkpoint/index.js';
import type { ModelConfig } from '../config.js';
import { Graph, type Value } from '../onnx/graph.js';
import type { AttentionStyle, Context, UnitParts } from './context.js';
import { attentionMask, embeddings } from './embeddings.js';
import { attentionBias, dense, encoderLayer, firstTokenLayer } from './encoder-layer.js';
import { GRAPH_IDS, GRAPH_LOGITS, GRAPH_SLOTS } from './names.js';
import { floatProducts, type Products } from './products.js';
import { type Float, Store } from './store.js';
import { WeightReader } from './weight-reader.js';

/** The form of a graph, beside the model's own. All of it is computed in float32, unless `products` say otherwise. */
export interface GraphOptions {
  /** The type in which matrices and embeddings are stored; `float16` is widened each time it is used (float32). */
  readonly kept?: Float;
  /** Default: the fastest on a CPU. */
  readonly attention?: AttentionStyle;
  /** Sequences of a batch may differ in length (see paddingSlot); attention is `plain` then. */
  readonly padded?: boolean;
  /** The parts in which the units of feed-forward layers are computed. Default: the fastest on a CPU for products of floats. */
  readonly unitParts?: UnitParts;
  /** Products over all tokens; default: those of floats. */
  readonly products?: (store: Store, floats: Products) => Products;
}

/** All units at once. */
export const WHOLE: UnitParts = [undefined];

/** Up to this many heads, a chain of products per head is faster than the fused operator on a CPU. */
const FEW_HEADS = 4;

/** The CPU's kernel adds up this many products before it adds to the sum, so parts of this size change no bit of it. */
const KERNEL_TERMS = 256;

/**
 * The feed-forward units that a CPU's cache holds. All units of a batch (1,024 tokens × 1,024 units of S: 4 MB) would
 * pass through the cache three times: out of the first product, through the activation, into the second product. A part
 * of them stays in it. Every part passes over the sum once more, so wide models, whose sums are wide, get wider parts.
 */
function unitsInCache({ hidden, intermediate }: ModelConfig): UnitParts {
  const units = KERNEL_TERMS * Math.ceil(hidden / 2 / KERNEL_TERMS);
  return unitsAtOnce(intermediate, units);
}

export function unitsAtOnce(intermediate: number, units: number): UnitParts {
  if (units >= intermediate) return WHOLE;
  return Array.from({ length: Math.ceil(intermediate / units) }, (_, i) => [
    i * units,
    Math.min((i + 1) * units, intermediate),
  ]);
}

/**
 * The forward pass of a BERT cross-encoder, from token ids to logits. Sequences of a batch are of one length, without
 * padding and mask, unless they may be `padded`. Weights are read when the graph is written.
 */
export function bertGraph(source: BertWeights, options: GraphOptions = {}): Graph {
  const { config } = source;
  const { padded, products, unitParts } = options;
  const fastest = config.heads <= FEW_HEADS ? 'by head' : 'fused';
  // The other styles have no mask.
  const attention = padded ? 'plain' : (options.attention ?? fastest);
  const graph = new Graph('bert-qe cross-encoder');
  const ids = graph.input(GRAPH_IDS, 'int32', ['batch', 'sequence']);
  const slots = graph.input(GRAPH_SLOTS, 'int32', ['batch', 'sequence']);
  const extent = graph.op('Shape', [ids]);
  const store = new Store(graph, new WeightReader(source), 'float32', options.kept);
  const floats = floatProducts(store);
  const context: Context = {
    graph,
    config,
    store,
    attention,
    mask: padded ? attentionMask(store, config, slots) : undefined,
    unitParts: unitParts ?? (padded || products ? WHOLE : unitsInCache(config)),
    products: products?.(store, floats) ?? floats,
    exact: floats,
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
  const { graph, exact } = context;
  const pooled = graph.op('Tanh', [dense(context, exact(first), 'pooler.dense')]);
  return dense(context, exact(pooled), 'classifier');
}
