import type { Graph, Value } from '../../bert/onnx/index.js';
import { Algebra } from '../autodiff/algebra.js';

/** The optimisers: Adam for all parameters, or Muon for the matrices of layers and Adam for the others. */
export type Optimiser = 'adam' | 'muon';

/** The settings of Adam with decoupled weight decay and, as in BERT's own code, without bias correction. */
export interface AdamSettings {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** The largest norm of all gradients together; larger ones are scaled down. */
  readonly clipNorm: number;
}

/** The settings of BERT's own code, which the paper uses. */
export const publishedAdam: AdamSettings = {
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-6,
  weightDecay: 0.01,
  clipNorm: 1,
};

/** The tensors that the optimiser keeps for a group of parameters. */
export interface GroupState {
  readonly values: Value;
  readonly m: Value;
  readonly v: Value;
}

/** Scalars of a step. Where `isFinite` is false, the step changes nothing. */
export interface StepScalars {
  readonly isFinite: Value;
  /** The factor that makes a sum the gradient. */
  readonly factor: Value;
  readonly learningRate: Value;
}

/** A value where the step is finite, else a number. */
export function whereFinite(graph: Graph, { isFinite }: StepScalars) {
  return (step: Value, otherwise: number): Value =>
    graph.op('Where', [isFinite, step, graph.scalar(otherwise)]);
}

/**
 * Steps of Adam with decoupled weight decay and without bias correction, for any number of groups. Every operation is a
 * pass over a group, so scalars are multiplied with each other first. A branch around the update would be simpler than
 * scalars that change nothing, but the runtime copies what a branch only passes on.
 *
 * @returns The state of a group after the step.
 */
export function adamNodes(graph: Graph, scalars: StepScalars) {
  const { beta1, beta2, epsilon, weightDecay } = publishedAdam;
  const math = new Algebra(graph);
  const either = whereFinite(graph, scalars);
  const learningRate = either(scalars.learningRate, 0);
  const keepFirst = either(graph.scalar(beta1), 1);
  const addFirst = either(math.multiply(scalars.factor, 1 - beta1), 0);
  const keepSecond = either(graph.scalar(beta2), 1);
  // Multiplied with the square of what is added to the first moment.
  const addSecond = (1 - beta2) / (1 - beta1) ** 2;
  return ({ values, m, v }: GroupState, sum: Value, decays: boolean): GroupState => {
    const share = math.multiply(either(sum, 0), addFirst);
    const first = math.add(math.multiply(m, keepFirst), share);
    const second = math.add(
      math.multiply(v, keepSecond),
      math.multiply(math.multiply(share, share), addSecond),
    );
    const root = math.add(graph.op('Sqrt', [second]), epsilon);
    const update = math.multiply(graph.op('Div', [first, root]), learningRate);
    const kept = decays
      ? math.multiply(values, math.subtract(1, math.multiply(learningRate, weightDecay)))
      : values;
    return { values: math.subtract(kept, update), m: first, v: second };
  };
}
