import type { Graph, Value } from '../../bert/onnx/index.js';

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

/**
 * Steps of Adam with decoupled weight decay and without bias correction, for any number of groups. Every operation is a
 * pass over a group, so scalars are multiplied with each other first. A branch around the update would be simpler than
 * scalars that change nothing, but the runtime copies what a branch only passes on.
 */
export class AdamNodes {
  readonly #learningRate: Value;
  readonly #first: { readonly keep: Value; readonly add: Value };
  readonly #second: { readonly keep: Value; readonly add: Value };

  constructor(
    private readonly graph: Graph,
    private readonly constants: AdamSettings,
    private readonly scalars: StepScalars,
  ) {
    const { beta1, beta2 } = constants;
    const { isFinite, factor, learningRate } = scalars;
    const either = (step: Value, otherwise: number) =>
      graph.op('Where', [isFinite, step, graph.scalar(otherwise)]);
    this.#learningRate = either(learningRate, 0);
    this.#first = {
      keep: either(graph.scalar(beta1), 1),
      add: either(this.#times(factor, 1 - beta1), 0),
    };
    // Multiplied with the square of what is added to the first moment.
    this.#second = {
      keep: either(graph.scalar(beta2), 1),
      add: graph.scalar((1 - beta2) / (1 - beta1) ** 2),
    };
  }

  /** The state of a group after the step. */
  step({ values, m, v }: GroupState, sum: Value, decays: boolean): GroupState {
    const { graph, constants, scalars } = this;
    const { epsilon, weightDecay } = constants;
    const add = (a: Value, b: Value) => graph.op('Add', [a, b]);
    const finite = graph.op('Where', [scalars.isFinite, sum, graph.scalar(0)]);
    const share = this.#times(finite, this.#first.add);
    const first = add(this.#times(m, this.#first.keep), share);
    const second = add(
      this.#times(v, this.#second.keep),
      this.#times(this.#times(share, share), this.#second.add),
    );
    const root = add(graph.op('Sqrt', [second]), graph.scalar(epsilon));
    const update = this.#times(graph.op('Div', [first, root]), this.#learningRate);
    const kept = decays
      ? this.#times(values, graph.op('Sub', [graph.scalar(1), this.#times(this.#learningRate, weightDecay)]))
      : values;
    return { values: graph.op('Sub', [kept, update]), m: first, v: second };
  }

  #times(a: Value, b: Value | number): Value {
    return this.graph.op('Mul', [a, typeof b === 'number' ? this.graph.scalar(b) : b]);
  }
}
