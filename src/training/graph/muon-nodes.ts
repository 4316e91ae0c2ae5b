import type { Graph, Value } from '../../bert/onnx/index.js';
import type { GroupState, StepScalars } from './adam-nodes.js';

/** The settings of Muon: the momentum of gradients, weight decay, and the factor of the orthogonal matrix. */
export interface MuonSettings {
  readonly momentum: number;
  readonly weightDecay: number;
  /** Times the root of a matrix's longer side, this makes updates about as large as Adam's, so that both have one learning rate. */
  readonly scale: number;
}

export const usualMuon: MuonSettings = { momentum: 0.95, weightDecay: 0.01, scale: 0.2 };

/** The iterations of Newton and Schulz, and the coefficients of their polynomial (Jordan's). */
const ITERATIONS = 5;
const [LINEAR, CUBIC, QUINTIC] = [3.4445, -4.775, 2.0315];

/** Matrices of one shape that lie one after the other. */
export interface MatrixStack {
  readonly count: number;
  readonly rows: number;
  readonly columns: number;
}

export type MuonState = Pick<GroupState, 'values' | 'm'>;

/** Matrices in their order as stacks. */
export function stacksOf(shapes: readonly (readonly number[])[]): MatrixStack[] {
  const stacks: { count: number; rows: number; columns: number }[] = [];
  for (const [rows, columns] of shapes) {
    const last = stacks.at(-1);
    if (last?.rows === rows && last.columns === columns) last.count++;
    else stacks.push({ count: 1, rows, columns });
  }
  return stacks;
}

/**
 * Steps of Muon: m ← βm + (1−β)g, and then w ← w − η·(scale·√(longer side)·O + λw), where O is nearly the orthogonal matrix
 * next to βm + (1−β)g. The state has no second moment.
 */
export class MuonNodes {
  readonly #learningRate: Value;
  readonly #keep: Value;
  readonly #add: Value;

  constructor(
    private readonly graph: Graph,
    private readonly constants: MuonSettings,
    private readonly scalars: StepScalars,
  ) {
    const { isFinite, factor, learningRate } = scalars;
    const either = (step: Value, otherwise: number) =>
      graph.op('Where', [isFinite, step, graph.scalar(otherwise)]);
    this.#learningRate = either(learningRate, 0);
    this.#keep = either(graph.scalar(constants.momentum), 1);
    this.#add = either(this.#times(factor, 1 - constants.momentum), 0);
  }

  /** The state after the step of matrices that are kept in one tensor, of so many columns. */
  step({ values, m }: MuonState, sum: Value, stacks: readonly MatrixStack[], columns: number): MuonState {
    const { graph, constants, scalars } = this;
    const finite = graph.op('Where', [scalars.isFinite, sum, graph.scalar(0)]);
    const share = this.#times(finite, this.#add);
    const momentum = graph.op('Add', [this.#times(m, this.#keep), share]);
    const ahead = graph.op('Add', [this.#times(momentum, constants.momentum), share]);
    const sizes = stacks.map(({ count, rows, columns: width }) => (count * rows * width) / columns);
    const parts =
      stacks.length === 1
        ? [ahead]
        : graph.ops('Split', [ahead, graph.integers(sizes)], stacks.length, { axis: 0 });
    const updates = stacks.map((stack, i) => {
      const { count, rows, columns: width } = stack;
      const matrices = graph.op('Reshape', [parts[i], graph.integers([count, rows, width])]);
      const scaled = this.#times(
        orthogonal(graph, matrices, stack),
        constants.scale * Math.sqrt(Math.max(rows, width)),
      );
      return graph.op('Reshape', [scaled, graph.integers([-1, columns])]);
    });
    const update = stacks.length === 1 ? updates[0] : graph.op('Concat', updates, { axis: 0 });
    const decay = this.#times(this.#learningRate, constants.weightDecay);
    const kept = this.#times(values, graph.op('Sub', [graph.scalar(1), decay]));
    const after = graph.op('Sub', [kept, this.#times(update, this.#learningRate)]);
    return { values: after, m: momentum };
  }

  #times(a: Value, b: Value | number): Value {
    return this.graph.op('Mul', [a, typeof b === 'number' ? this.graph.scalar(b) : b]);
  }
}

/** The orthogonal matrices next to those of a stack, `[count, rows, columns]`, roughly: singular values are near 1. */
function orthogonal(graph: Graph, matrices: Value, { rows, columns }: MatrixStack): Value {
  const times = (a: Value, factor: number) => graph.op('Mul', [a, graph.scalar(factor)]);
  const transposed = (a: Value) => graph.op('Transpose', [a], { perm: [0, 2, 1] });
  const isTall = rows > columns;
  const norm = graph.op('ReduceL2', [matrices, graph.integers([1, 2])], { keepdims: 1 });
  const unit = graph.op('Div', [matrices, graph.op('Add', [norm, graph.scalar(1e-7)])]);
  let x = isTall ? transposed(unit) : unit;
  for (let i = 0; i < ITERATIONS; i++) {
    const gram = graph.op('MatMul', [x, transposed(x)]);
    const square = times(graph.op('MatMul', [gram, gram]), QUINTIC);
    const both = graph.op('Add', [times(gram, CUBIC), square]);
    x = graph.op('Add', [times(x, LINEAR), graph.op('MatMul', [both, x])]);
  }
  return isTall ? transposed(x) : x;
}
