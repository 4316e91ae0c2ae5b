import type { Graph, Value } from '../../bert/onnx/index.js';

/** The kinds of losses that a training graph computes. */
export type LossKind =
  /** The cross-entropy of each example's relevance, Eq. 1. */
  | 'pointwise'
  /** The cross-entropy of the relevant one among a group of examples. */
  | 'listwise'
  /** A loss computed outside of the graph, given by its gradient. */
  | 'given';

/**
 * The loss −Σ targets ∘ log softmax(scores). A row of scores is, for the pointwise loss, an example's two logits (0 and
 * the logit for one-label models, whose softmax is the sigmoid) and, for the listwise loss, the log-odds of a group's
 * examples. A row of targets is a distribution times the weight of the row in the batch. For a given loss, the targets
 * are its gradient with respect to each log-odds, and Σ targets ∘ log-odds has the same gradients.
 */
export function loss(graph: Graph, logits: Value, labels: number, kind: LossKind, targets: Value): Value {
  if (kind === 'given') {
    const product = graph.op('Mul', [relevance(graph, logits, labels), targets]);
    return graph.op('ReduceSum', [product], { keepdims: 0 });
  }
  const scores =
    kind === 'pointwise'
      ? twoLogits(graph, logits, labels)
      : graph.op('Reshape', [relevance(graph, logits, labels), graph.op('Shape', [targets])]);
  const logProbabilities = graph.op('LogSoftmax', [scores], { axis: -1 });
  const agreement = graph.op('ReduceSum', [graph.op('Mul', [logProbabilities, targets])], { keepdims: 0 });
  return graph.op('Mul', [agreement, graph.scalar(-1)]);
}

function twoLogits(graph: Graph, logits: Value, labels: number): Value {
  return labels === 2 ? logits : graph.op('Gemm', [logits, constant(graph, 'second of two', [1, 2], [0, 1])]);
}

/** The log-odds of relevance, `[batch, 1]`. */
function relevance(graph: Graph, logits: Value, labels: number): Value {
  return labels === 1
    ? logits
    : graph.op('Gemm', [logits, constant(graph, 'second less first', [2, 1], [-1, 1])]);
}

function constant(graph: Graph, name: string, dims: readonly number[], values: readonly number[]): Value {
  return graph.initializer(name, 'float32', dims, () => Float32Array.from(values));
}
