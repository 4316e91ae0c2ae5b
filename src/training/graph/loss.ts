import type { Graph, Value } from '../../bert/onnx/index.js';
import { type Builder, logitsOf, widened } from './encoder.js';
import { maskedLoss } from './masked-loss.js';

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

/** The head of the model that a kind of loss trains. */
export function headOf(kind: LossKind): 'classifier' | 'predictions' {
  return kind === 'masked' ? 'predictions' : 'classifier';
}

/** True for a loss by which validation judges the weights, in place of a ranking by scores. */
export function judgesItself(kind: LossKind): boolean {
  return kind === 'masked' || kind === 'distilled';
}

/** The targets of a batch, see {@link loss} and masked-loss.ts. */
export interface Targets {
  readonly targets: Value;
  /** Of the masked loss alone. */
  readonly wanted?: Value | undefined;
}

/** The loss of summed embeddings, a scalar. */
export function objective(
  builder: Builder,
  tokens: Value,
  kind: LossKind,
  { targets, wanted }: Targets,
): Value {
  if (kind === 'masked') return maskedLoss(builder, tokens, wanted!, targets);
  return loss(builder.graph, wideLogits(builder, tokens), builder.config.labels, kind, targets);
}

/** The numbers that validation asks for, float32: logits `[batch, labels]`, or the loss, `[1, 1]`. */
export function scores(builder: Builder, tokens: Value, kind: LossKind, targets: Targets): Value {
  if (!judgesItself(kind)) return wideLogits(builder, tokens);
  const value = objective(builder, tokens, kind, targets);
  return builder.graph.op('Reshape', [value, builder.graph.integers([1, 1])]);
}

/** The columns of {@link scores}. */
export function scoreColumns(kind: LossKind, labels: number): number {
  return judgesItself(kind) ? 1 : labels;
}

function wideLogits(builder: Builder, tokens: Value): Value {
  return widened(builder.graph, logitsOf(builder, tokens), builder.float);
}

/**
 * The loss −Σ targets ∘ log softmax(scores). A row of scores is, for the pointwise loss, an example's two logits (0 and
 * the logit for one-label models, whose softmax is the sigmoid) and, for the listwise loss, the log-odds of a group's
 * examples. A row of targets is a distribution times the weight of the row in the batch. The distilled loss is the sum of
 * both; a row of its targets is that of the listwise loss, then those of the pointwise loss, first all of irrelevance and
 * then all of relevance. For a given loss, the targets are its gradient with respect to each log-odds, and
 * Σ targets ∘ log-odds has the same gradients.
 */
function loss(
  graph: Graph,
  logits: Value,
  labels: number,
  kind: Exclude<LossKind, 'masked'>,
  targets: Value,
): Value {
  if (kind === 'given') {
    const product = graph.op('Mul', [relevance(graph, logits, labels), targets]);
    return graph.op('ReduceSum', [product], { keepdims: 0 });
  }
  const pointwise = (rows: Value) => crossEntropy(graph, twoLogits(graph, logits, labels), rows);
  const listwise = (rows: Value) => {
    const odds = graph.op('Reshape', [relevance(graph, logits, labels), graph.op('Shape', [rows])]);
    return crossEntropy(graph, odds, rows);
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
