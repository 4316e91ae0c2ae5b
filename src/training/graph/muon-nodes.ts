import type { Graph, Value } from '../../bert/onnx/index.js';
import { Algebra } from '../autodiff/algebra.js';
import { whereFinite, type GroupState, type StepScalars } from './adam-nodes.js';

const MOMENTUM = 0.95;
const WEIGHT_DECAY = 0.01;
/** Times the root of a matrix's longer side, this makes updates about as large as Adam's, so that both have one learning rate. */
const SCALE = 0.2;

/** The iterations of Newton and Schulz, and the coefficients of their polynomial (Jordan's). */
const ITERATIONS = 5;
const [LINEAR, CUBIC, QUINTIC] = [3.4445, -4.775, 2.0315];

/** Matrices of one shape that lie one after the other. */
export interface MatrixStack {
  readonly count: number;
  readonly rows: number;
  readonly columns: number;
}

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

/** The state of matrices, which has no second moment. */
export type MuonState = Pick<GroupState, 'values' | 'm'>;

/**
 * Steps of Muon: m ← βm + (1−β)g, and then w ← w − η·(scale·√(longer side)·O + λw), where O is nearly the orthogonal matrix
 * next to βm + (1−β)g.
 *
 * @returns The state after the step of matrices that are kept in one tensor, of so many columns.
 */
export function muonNodes(graph: Graph, scalars: StepScalars) {
  const math = new Algebra(graph);
  const either = whereFinite(graph, scalars);
  const learningRate = either(scalars.learningRate, 0);
  const keep = either(graph.scalar(MOMENTUM), 1);
  const toAdd = either(math.multiply(scalars.factor, 1 - MOMENTUM), 0);
  return (
    { values, m }: MuonState,
    sum: Value,
    stacks: readonly MatrixStack[],
    columns: number,
  ): MuonState => {
    const share = math.multiply(either(sum, 0), toAdd);
    const momentum = math.add(math.multiply(m, keep), share);
    const ahead = math.add(math.multiply(momentum, MOMENTUM), share);
    const sizes = stacks.map(({ count, rows, columns: width }) => (count * rows * width) / columns);
    const parts =
      stacks.length === 1
        ? [ahead]
        : graph.ops('Split', [ahead, graph.integers(sizes)], stacks.length, { axis: 0 });
    const updates = stacks.map((stack, i) => {
      const { count, rows, columns: width } = stack;
      const matrices = graph.op('Reshape', [parts[i], graph.integers([count, rows, width])]);
      const scaled = math.multiply(
        orthogonal(math, matrices, stack),
        SCALE * Math.sqrt(Math.max(rows, width)),
      );
      return graph.op('Reshape', [scaled, graph.integers([-1, columns])]);
    });
    const update = stacks.length === 1 ? updates[0] : graph.op('Concat', updates, { axis: 0 });
    const decay = math.multiply(learningRate, WEIGHT_DECAY);
    const kept = math.multiply(values, math.subtract(1, decay));
    return { values: math.subtract(kept, math.multiply(update, learningRate)), m: momentum };
  };
}

/** The orthogonal matrices next to those of a stack, `[count, rows, columns]`, roughly: singular values are near 1. */
function orthogonal(math: Algebra, matrices: Value, { rows, columns }: MatrixStack): Value {
  const { graph } = math;
  const product = (a: Value, b: Value) => graph.op('MatMul', [a, b]);
  const transposed = (a: Value) => graph.op('Transpose', [a], { perm: [0, 2, 1] });
  const isTall = rows > columns;
  const norm = graph.op('ReduceL2', [matrices, graph.integers([1, 2])], { keepdims: 1 });
  const unit = graph.op('Div', [matrices, math.add(norm, 1e-7)]);
  let x = isTall ? transposed(unit) : unit;
  for (let i = 0; i < ITERATIONS; i++) {
    const gram = product(x, transposed(x));
    const square = math.multiply(product(gram, gram), QUINTIC);
    const both = math.add(math.multiply(gram, CUBIC), square);
    x = math.add(math.multiply(x, LINEAR), product(both, x));
  }
  return isTall ? transposed(x) : x;
}
