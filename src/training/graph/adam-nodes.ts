import type { Graph, Value } from '../../bert/onnx/index.js';

/** The constants of the optimiser, see engine/adam.ts. */
export interface AdamConstants {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
}

/** The tensors that the optimiser keeps for a group of parameters. */
export interface GroupState {
  readonly values: Value;
  readonly m: Value;
  readonly v: Value;
}

/**
 * One step of Adam with decoupled weight decay and without bias correction. The gradient is `factor` times `sum`. Every
 * operation is a pass over the group, so factors are multiplied beforehand.
 */
export function adamNodes(
  graph: Graph,
  { values, m, v }: GroupState,
  sum: Value,
  { factor, learningRate }: { readonly factor: Value; readonly learningRate: Value },
  { beta1, beta2, epsilon, weightDecay }: AdamConstants,
): GroupState {
  const times = (a: Value, b: Value | number) =>
    graph.op('Mul', [a, typeof b === 'number' ? graph.scalar(b) : b]);
  const add = (a: Value, b: Value) => graph.op('Add', [a, b]);
  const share = times(sum, times(factor, 1 - beta1));
  const first = add(times(m, beta1), share);
  const second = add(times(v, beta2), times(times(share, share), (1 - beta2) / (1 - beta1) ** 2));
  const root = add(graph.op('Sqrt', [second]), graph.scalar(epsilon));
  const update = times(graph.op('Div', [first, root]), learningRate);
  const kept =
    weightDecay === 0
      ? values
      : times(values, graph.op('Sub', [graph.scalar(1), times(learningRate, weightDecay)]));
  return { values: graph.op('Sub', [kept, update]), m: first, v: second };
}
