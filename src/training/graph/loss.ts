import type { Graph, Value } from '../../bert/onnx/index.js';

/** The kinds of losses that a training graph computes. */
export type LossKind =
  /** The cross-entropy of each example's relevance, Eq. 1. */
  | 'pointwise'
  /** The cross-entropy of the relevant one among a group of examples. */
  | 'listwise'
  /** A loss computed outside of the graph, given by its gradient. */
  | 'given'
  /** The listwise and half the pointwise loss of all examples of a group, for targets that a teacher gave. */
  | 'distilled'
  /** The cross-entropy of masked tokens, see masked-loss.ts. */
  | 'masked';

/** The kinds of losses of pairs. */
export type PairLoss = Exclude<LossKind, 'masked'>;

/** The head of the model that a kind of loss trains. */
export function headOf(kind: LossKind): 'classifier' | 'predictions' {
  return kind === 'masked' ? 'predictions' : 'classifier';
}

/** True for a loss by which validation judges the weights, in place of a ranking by scores. */
export function judgesItself(kind: LossKind): boolean {
  return kind === 'masked' || kind === 'distilled';
}

/**
 * The loss −Σ targets ∘ log softmax(scores). A row of scores is, for the pointwise loss, an example's two logits (0 and
 * the logit for one-label models, whose softmax is the sigmoid) and, for the listwise loss, the log-odds of a group's
 * examples. A row of targets is a distribution times the weight of the row in the batch. The distilled loss is the sum of
 * both; a row of its targets is that of the listwise loss, then those of the pointwise loss, first all of irrelevance and
 * then all of relevance. For a given loss, the targets are its gradient with respect to each log-odds, and
 * Σ targets ∘ log-odds has the same gradients.
 */
export function loss(graph: Graph, logits: Value, labels: number, kind: PairLoss, targets: Value): Value {
  if (kind === 'given') {
    const product = graph.op('Mul', [relevance(graph, logits, labels), targets]);
    return graph.op('ReduceSum', [product], { keepdims: 0 });
  }
  const pointwise = (rows: Value) => crossEntropy(graph, twoLogits(graph, logits, labels), rows);
  const listwise = (rows: Value) => {
    const scores = graph.op('Reshape', [relevance(graph, logits, labels), graph.op('Shape', [rows])]);
    return crossEntropy(graph, scores, rows);
  };
  if (kind === 'pointwise') return pointwise(targets);
  if (kind === 'listwise') return listwise(targets);
  const [ofGroups, ...both] = graph.ops('Split', [targets], 3, { axis: 1, num_outputs: 3 });
  const columns = both.map((part) => graph.op('Reshape', [part, graph.integers([-1, 1])]));
  return graph.op('Add', [listwise(ofGroups), pointwise(graph.op('Concat', columns, { axis: 1 }))]);
}

/** −Σ targets ∘ log softmax(scores). */
function crossEntropy(graph: Graph, scores: Value, targets: Value): Value {
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
