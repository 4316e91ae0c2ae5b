import type { Graph, Value } from '../../bert/onnx/index.js';

/** What the probabilities that training raises are probabilities of. */
export type LossKind =
  /** Each example by itself is relevant or not: cross-entropy, Eq. 1. */
  | 'pointwise'
  /** Which of a group of examples of one query is the relevant one. */
  | 'listwise'
  /** No probabilities: the gradient of a loss that was computed outside is passed on to the weights. */
  | 'given';

/**
 * −Σ targets ∘ log softmax(scores). Pointwise, a row of scores is an example's two logits (of one-label models: 0 and
 * the logit, whose softmax is the sigmoid); listwise it is the relevance of a group's examples, one after the other.
 * Targets are the probabilities wanted, times the weight that the row has in the batch. Given, the targets are the
 * gradient of each sequence's relevance, and Σ targets ∘ relevance has the gradients that the loss outside has.
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
