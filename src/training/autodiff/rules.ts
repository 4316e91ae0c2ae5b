import { ElementType, type Attributes, type Value } from '../../bert/onnx/index.js';
import type { Algebra } from './algebra.js';

/** A node with the gradient of its first output. */
export interface BackwardNode {
  readonly math: Algebra;
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
  readonly attributes: Attributes;
  readonly gradient: Value;
}

/** The gradient of each input, added to the graph when it is called. */
export type Rule = (node: BackwardNode) => readonly (() => Value)[];

/**
 * The gradient rules of operators, for the shapes that occur in training graphs: operands of Add, Sub and Mul with a
 * gradient have the shape of the result, MatMul multiplies `[batch, heads, ·, ·]`, Slice takes a prefix, Gather takes rows,
 * ReduceSum keeps its axis or sums everything, softmaxes and normalisations use the last axis. tests/training/autodiff checks each rule against finite differences.
 */
export const rules: Readonly<Record<string, Rule>> = {
  Add: ({ gradient }) => [() => gradient, () => gradient],

  Sub: ({ math, gradient }) => [() => gradient, () => math.multiply(gradient, -1)],

  Mul: ({ math, inputs: [a, b], gradient }) => [
    () => math.multiply(gradient, b),
    () => math.multiply(gradient, a),
  ],

  // y = a·b + c or, with transB, a·bᵀ + c; the row c is added to every row.
  Gemm: ({ math, inputs: [a, b], attributes, gradient }) => {
    const gemm = (left: Value, right: Value, transA: 0 | 1, transB: 0 | 1): Value =>
      math.graph.op('Gemm', [left, right], { transA, transB });
    const isTransposed = attributes['transB'] === 1;
    return [
      () => gemm(gradient, b, 0, isTransposed ? 0 : 1),
      () => (isTransposed ? gemm(gradient, a, 1, 0) : gemm(a, gradient, 1, 0)),
      () => math.sum(gradient, 0, false),
    ];
  },

  MatMul: ({ math: { graph }, inputs: [a, b], gradient }) => {
    const transposed = (x: Value): Value => graph.op('Transpose', [x], { perm: [0, 1, 3, 2] });
    return [
      () => graph.op('MatMul', [gradient, transposed(b)]),
      () => graph.op('MatMul', [transposed(a), gradient]),
    ];
  },

  Reshape: ({ math, inputs: [x], gradient }) => [
    () => math.graph.op('Reshape', [gradient, math.unary('Shape', x)]),
  ],

  // From 16 bits to 32: the gradient goes back to the type of the input.
  Cast: ({ math, gradient }) => [() => math.narrowed(gradient)],

  // Elements that were dropped have gradient 0; the others were divided by the share that is kept.
  Dropout: ({ math, inputs: [, rate], outputs: [, mask], gradient }) => [
    () => {
      const { graph } = math;
      const kept = math.narrowed(graph.op('Sub', [graph.scalar(1), rate]));
      const scaled = graph.op('Div', [gradient, kept]);
      return graph.op('Where', [mask, scaled, graph.scalar(0, math.float)]);
    },
  ],

  Transpose: ({ math, attributes, gradient }) => {
    const perm = attributes['perm'] as readonly number[];
    const back = perm.map((_, axis) => perm.indexOf(axis));
    return [() => math.graph.op('Transpose', [gradient], { perm: back })];
  },

  // The part that was cut off has gradient 0.
  Slice: ({ math, inputs: [x], gradient }) => {
    const whole = math.unary('Shape', x);
    const cutOff = math.subtract(whole, math.unary('Shape', gradient));
    const zeros = math.subtract(whole, whole);
    return [
      () =>
        math.graph.op('Pad', [gradient, math.graph.op('Concat', [zeros, cutOff], { axis: 0 })], {
          mode: 'constant',
        }),
    ];
  },

  // A row that was taken several times gets the sum of the gradients.
  Gather: ({ math: { graph }, inputs: [x, rows], gradient }) => [
    () => {
      const zeros = graph.op('ConstantOfShape', [graph.op('Shape', [x])]);
      const places = graph.op('Cast', [rows], { to: ElementType.int64 });
      const indices = graph.op('Unsqueeze', [places, graph.integers([-1])]);
      return graph.op('ScatterND', [zeros, indices, gradient], { reduction: 'add' });
    },
  ],

  // One element of each place; those that were taken several times get the sum of the gradients.
  GatherElements: ({ math: { graph }, inputs: [x, places], attributes, gradient }) => [
    () => {
      const zeros = graph.op('ConstantOfShape', [graph.op('Shape', [x])]);
      const axis = attributes['axis'] as number;
      return graph.op('ScatterElements', [zeros, places, gradient], { axis, reduction: 'add' });
    },
  ],

  // Every input gets its part of the gradient.
  Concat: ({ math: { graph }, inputs, attributes, gradient }) => {
    const axis = attributes['axis'] as number;
    let parts: Value[] | undefined;
    return inputs.map((_, i) => () => {
      const size = (x: Value): Value => graph.op('Gather', [graph.op('Shape', [x]), graph.integers([axis])]);
      const sizes = (): Value => graph.op('Concat', inputs.map(size), { axis: 0 });
      parts ??= graph.ops('Split', [gradient, sizes()], inputs.length, { axis });
      return parts[i];
    });
  },

  ReduceSum: ({ math, inputs: [x], gradient }) => [
    () => math.graph.op('Expand', [gradient, math.unary('Shape', x)]),
  ],

  Exp: ({ math, outputs: [y], gradient }) => [() => math.multiply(gradient, y)],

  Log: ({ math: { graph }, inputs: [x], gradient }) => [() => graph.op('Div', [gradient, x])],

  // y = x/‖x‖:  dx = (g − y·Σ g∘y)/‖x‖
  LpNormalization: ({ math, inputs: [x], outputs: [y], gradient }) => [
    () => {
      const { graph } = math;
      const along = math.multiply(y, math.sum(math.multiply(gradient, y), -1, true));
      const norm = graph.op('ReduceL2', [x, graph.integers([-1])], { keepdims: 1 });
      // Rows of zeros have no direction, and no gradient.
      return graph.op('Div', [math.subtract(gradient, along), math.add(norm, 1e-12)]);
    },
  ],

  // dx = y ∘ (g − Σ g∘y)
  Softmax: ({ math, outputs: [y], gradient }) => [
    () => {
      const weighted = math.multiply(gradient, y);
      return math.subtract(weighted, math.multiply(y, math.sum(weighted, -1, true)));
    },
  ],

  // dx = g − exp(y) · Σ g
  LogSoftmax: ({ math, outputs: [y], gradient }) => [
    () => math.subtract(gradient, math.multiply(math.unary('Exp', y), math.sum(gradient, -1, true))),
  ],

  // dx = g ∘ (1 − y²)
  Tanh: ({ math, outputs: [y], gradient }) => [
    () => math.multiply(gradient, math.subtract(1, math.multiply(y, y))),
  ],

  Relu: ({ math: { graph, float }, inputs: [x], gradient }) => [
    () => {
      const isPositive = graph.op('Greater', [x, graph.scalar(0, float)]);
      return graph.op('Mul', [gradient, graph.op('Cast', [isPositive], { to: ElementType[float] })]);
    },
  ],

  Gelu: ({ math, inputs: [x], attributes, gradient }) => [
    () => math.multiply(gradient, attributes['approximate'] === 'tanh' ? tanhGelu(math, x) : gelu(math, x)),
  ],

  // y = x̂ ∘ γ + β with x̂ = (x − mean)·r:  dx = r·(g∘γ − mean(g∘γ) − x̂·mean(g∘γ∘x̂))
  LayerNormalization: ({ math, inputs: [x, gain], outputs: [, mean, reciprocal], gradient }) => {
    // Both are float32, whatever the type of x.
    const factor = math.narrowed(reciprocal);
    const standard = math.multiply(math.subtract(x, math.narrowed(mean)), factor);
    return [
      () => {
        const scaled = math.multiply(gradient, gain);
        const along = math.multiply(standard, math.mean(math.multiply(scaled, standard)));
        return math.multiply(math.subtract(math.subtract(scaled, math.mean(scaled)), along), factor);
      },
      () => math.sum(math.multiply(gradient, standard), 0, false),
      () => math.sum(gradient, 0, false),
    ];
  },
};

/** d/dx x·Φ(x) = Φ(x) + x·φ(x). */
function gelu(math: Algebra, x: Value): Value {
  const cumulative = math.add(math.multiply(math.unary('Erf', math.multiply(x, Math.SQRT1_2)), 0.5), 0.5);
  const bell = math.unary('Exp', math.multiply(math.multiply(x, x), -0.5));
  return math.add(cumulative, math.multiply(math.multiply(x, bell), 1 / Math.sqrt(2 * Math.PI)));
}

/** The derivative of ½x(1 + tanh u), u = √(2/π)·(x + 0.044715x³). */
function tanhGelu(math: Algebra, x: Value): Value {
  const slope = Math.sqrt(2 / Math.PI);
  const square = math.multiply(x, x);
  const u = math.multiply(x, math.add(math.multiply(square, slope * 0.044715), slope));
  const t = math.unary('Tanh', u);
  const du = math.add(math.multiply(square, slope * 3 * 0.044715), slope);
  const steep = math.multiply(math.multiply(x, math.subtract(1, math.multiply(t, t))), du);
  return math.multiply(math.add(math.add(t, 1), steep), 0.5);
}
