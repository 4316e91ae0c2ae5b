import { usageError } from '../../common/errors.js';
import type { BertWeights } from '../checkpoint/index.js';
import type { ModelConfig } from '../config.js';
import { ElementType, Graph, type Value } from '../onnx/graph.js';
import type { AttentionStyle, Context, UnitParts } from './context.js';
import { attentionMask, embeddings } from './embeddings.js';
import { attentionBias, dense, encoderLayer, firstTokenLayer } from './encoder-layer.js';
import { GRAPH_IDS, GRAPH_LOGITS, GRAPH_SLOTS } from './names.js';
import { halfProducts } from './half-products.js';
import { floatProducts, type Products } from './products.js';
import { type Float, Store } from './store.js';
import { WeightReader } from './weight-reader.js';

/** The arithmetic of a graph. */
export interface Arithmetic {
  /**
   * The type of products with weights over all tokens, and of activations. The residual stream, attention and the last
   * layer, which is computed for one token per sequence, are always float32.
   */
  readonly float: Float;
  /** The type in which matrices and embeddings are stored, widened each time they are used; default: `float`. */
  readonly kept?: Float;
  /** Default: the fastest on a CPU. */
  readonly attention?: AttentionStyle;
  /** Sequences of a batch may differ in length (see paddingSlot); requires `plain` attention. */
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

/** The parts of so many units each. */
export function unitsAtOnce(intermediate: number, units: number): UnitParts {
  if (units >= intermediate) return WHOLE;
  return Array.from({ length: Math.ceil(intermediate / units) }, (_, i) => [
    i * units,
    Math.min((i + 1) * units, intermediate),
  ]);
}

/**
 * The forward pass of a BERT cross-encoder, from token ids to logits. Sequences of a batch are of one length, without
 * padding and mask, unless the arithmetic is `padded`. Weights are read when the graph is written.
 */
export function bertGraph(source: BertWeights, arithmetic: Arithmetic = { float: 'float32' }): Graph {
  const graph = new Graph('bert-qe cross-encoder');
  const { config } = source;
  const ids = graph.input(GRAPH_IDS, 'int32', ['batch', 'sequence']);
  const slots = graph.input(GRAPH_SLOTS, 'int32', ['batch', 'sequence']);
  const extent = graph.op('Shape', [ids]);
  const reader = new WeightReader(source);
  const kept = arithmetic.kept ?? arithmetic.float;
  const stream = new Store(graph, reader, 'float32', kept);
  if (arithmetic.padded && arithmetic.attention !== 'plain') {
    throw usageError('Padded sequences need plain attention: the other styles have no mask.');
  }
  const mask = arithmetic.padded ? attentionMask(stream, config, slots) : undefined;
  const contextIn = (float: Float): Context => {
    const store = new Store(graph, reader, float, kept);
    const half = float === 'float16';
    const floats = half ? halfProducts(store) : floatProducts(store);
    return {
      graph,
      config,
      store,
      stream,
      narrowed: (value) => (half ? graph.op('Cast', [value], { to: ElementType.float16 }) : value),
      widened: (value) => (half ? graph.op('Cast', [value], { to: ElementType.float32 }) : value),
      attention: arithmetic.attention ?? (config.heads <= FEW_HEADS ? 'by head' : 'fused'),
      mask,
      unitParts:
        arithmetic.unitParts ??
        (half || arithmetic.padded || arithmetic.products ? WHOLE : unitsInCache(config)),
      exact: (rows) => floats(rows, 'first token'),
      products: arithmetic.products?.(store, floats) ?? floats,
      shape: (...tail) => graph.op('Concat', [extent, graph.integers(tail)], { axis: 0 }),
    };
  };
  const body = contextIn(arithmetic.float);
  const last = config.layers - 1;
  const carried = (layer: number) => (layer < last ? attentionBias(layer) : undefined);
  let x = embeddings(body, ids, slots, carried(0));
  for (let layer = 0; layer < last; layer++) x = encoderLayer(body, x, layer, carried(layer + 1));
  const head = arithmetic.float === 'float32' ? body : contextIn('float32');
  const logits = classifier(head, firstTokenLayer(head, x, last));
  graph.output(logits, GRAPH_LOGITS, 'float32', ['batch', config.labels]);
  return graph;
}

/** BERT's pooler (dense + tanh) and the relevance classifier on top of it. */
function classifier(context: Context, first: Value): Value {
  const { graph, exact } = context;
  const pooled = graph.op('Tanh', [dense(context, exact(first), 'pooler.dense')]);
  return dense(context, exact(pooled), 'classifier');
}
