import { describe, expect, test } from 'vitest';
import { type Attributes, ElementType, float, Graph, type Value } from '../../../src/bert/onnx/index.js';
import { gradients } from '../../../src/training/autodiff/gradients.js';
import { rules } from '../../../src/training/autodiff/rules.js';
import { noise } from './noise.js';
import { type Numbers, runner } from './run-values.js';

interface Case {
  readonly op: string;
  readonly name: string;
  /** Shapes of the inputs that get a gradient. */
  readonly shapes: readonly (readonly number[])[];
  readonly attributes?: Attributes;
  /** Builds the value, where it is not simply the operator on its inputs. */
  readonly build?: (graph: Graph, inputs: readonly Value[]) => Value;
}

const cases: readonly Case[] = [
  {
    op: 'Add',
    name: 'two operands',
    shapes: [
      [3, 4],
      [3, 4],
    ],
  },
  {
    op: 'Mul',
    name: 'two operands',
    shapes: [
      [3, 4],
      [3, 4],
    ],
  },
  { op: 'Mul', name: 'a constant', shapes: [[3, 4]], build: (g, [x]) => g.op('Mul', [x, g.scalar(-1.5)]) },
  { op: 'Gemm', name: 'as stored', shapes: [[5, 3], [3, 4], [4]] },
  { op: 'Gemm', name: 'transposed weights', shapes: [[5, 3], [4, 3], [4]], attributes: { transB: 1 } },
  {
    op: 'MatMul',
    name: 'heads of sequences',
    shapes: [
      [2, 3, 4, 5],
      [2, 3, 5, 2],
    ],
  },
  {
    op: 'Reshape',
    name: 'another shape',
    shapes: [[4, 6]],
    build: (g, [x]) => g.op('Reshape', [x, g.integers([2, -1, 3])]),
  },
  { op: 'Transpose', name: 'a cycle of axes', shapes: [[2, 3, 4]], attributes: { perm: [1, 2, 0] } },
  {
    op: 'Slice',
    name: 'the beginning of an axis',
    shapes: [[2, 4, 3]],
    build: (g, [x]) => g.op('Slice', [x, g.integers([0]), g.integers([1]), g.integers([1])]),
  },
  {
    op: 'Sub',
    name: 'two operands',
    shapes: [
      [3, 4],
      [3, 4],
    ],
  },
  {
    op: 'Gather',
    name: 'rows, some of them twice',
    shapes: [[4, 3]],
    build: (g, [x]) => g.op('Gather', [x, g.integers([2, 0, 2, 3, 3, 3], [2, 3])]),
  },
  {
    op: 'GatherElements',
    name: 'two of each row, one of them twice',
    shapes: [[3, 4]],
    build: (g, [x]) => g.op('GatherElements', [x, g.integers([1, 3, 2, 2, 0, 1], [3, 2])], { axis: 1 }),
  },
  {
    op: 'Concat',
    name: 'parts of different sizes',
    shapes: [
      [2, 3],
      [2, 1],
      [2, 4],
    ],
    attributes: { axis: 1 },
  },
  { op: 'ReduceSum', name: 'everything', shapes: [[3, 4]], attributes: { keepdims: 0 } },
  {
    op: 'ReduceSum',
    name: 'an axis that is kept',
    shapes: [[2, 3, 4]],
    build: (g, [x]) => g.op('ReduceSum', [x, g.integers([1])], { keepdims: 1 }),
  },
  { op: 'Exp', name: 'elements', shapes: [[3, 4]] },
  {
    op: 'Log',
    name: 'positive elements',
    shapes: [[3, 4]],
    build: (g, [x]) => g.op('Log', [g.op('Add', [g.op('Exp', [x]), g.scalar(0.5)])]),
  },
  { op: 'LpNormalization', name: 'rows', shapes: [[4, 5]], attributes: { axis: -1, p: 2 } },
  { op: 'Softmax', name: 'the last axis', shapes: [[2, 3, 5]], attributes: { axis: -1 } },
  { op: 'LogSoftmax', name: 'the last axis', shapes: [[3, 5]], attributes: { axis: -1 } },
  {
    op: 'Cast',
    name: 'to 32 bits',
    shapes: [[3, 4]],
    build: (g, [x]) => g.op('Cast', [x], { to: ElementType.float32 }),
  },
  { op: 'Tanh', name: 'elements', shapes: [[3, 4]] },
  { op: 'Relu', name: 'elements', shapes: [[3, 4]] },
  { op: 'Gelu', name: 'exact', shapes: [[4, 5]], attributes: { approximate: 'none' } },
  { op: 'Gelu', name: 'by tanh', shapes: [[4, 5]], attributes: { approximate: 'tanh' } },
  {
    op: 'LayerNormalization',
    name: 'rows, gain and offset',
    shapes: [[4, 6], [6], [6]],
    build: (g, inputs) => g.ops('LayerNormalization', inputs, 3, { axis: -1, epsilon: float(1e-5) })[0],
  },
];

/** Σ weights ∘ value, so that every element of the value has a gradient of its own. */
function weighted({ op, shapes, attributes, build }: Case) {
  const graph = new Graph('rule');
  const leaves = shapes.map((dims, i) => graph.input(`x${i}`, 'float32', dims));
  const value = build?.(graph, leaves) ?? graph.op(op, leaves, attributes);
  const weights = graph.input('weights', 'float32', ['n']);
  const flat = graph.op('Reshape', [value, graph.integers([-1])]);
  const scalar = graph.op('ReduceSum', [graph.op('Mul', [flat, weights])], { keepdims: 0 });
  return { graph, leaves, scalar };
}

describe('gradient rules', () => {
  test('are each checked below', () => {
    const tested = [...cases.map(({ op }) => op), 'Dropout'];
    expect([...new Set(tested)].sort()).toEqual(Object.keys(rules).sort());
  });

  test.each(cases)('$op: $name agrees with finite differences', async (one) => {
    const { graph, leaves, scalar } = weighted(one);
    const count = await outputCount(one);
    gradients(graph, scalar, leaves).forEach((gradient, i) =>
      graph.output(gradient, `dx${i}`, 'float32', one.shapes[i]),
    );
    graph.output(scalar, 'scalar', 'float32', []);
    const run = await runner(graph);
    const feeds = new Map<string, Numbers>(
      one.shapes.map((dims, i) => [`x${i}`, { dims, values: noise(`${one.op} ${i}`, size(dims)) }]),
    );
    feeds.set('weights', { dims: [count], values: noise('weights', count) });
    const result = await run(feeds);
    for (const [i, dims] of one.shapes.entries()) {
      const { values } = feeds.get(`x${i}`)!;
      const found = result.get(`dx${i}`)!;
      expect(found.length).toBe(size(dims));
      const step = 1 / 256;
      for (let at = 0; at < values.length; at++) {
        const kept = values[at];
        const difference: number[] = [];
        for (const sign of [1, -1]) {
          values[at] = kept + sign * step;
          difference.push((await run(feeds)).get('scalar')![0]);
        }
        values[at] = kept;
        const expected = (difference[0] - difference[1]) / (2 * step);
        expect(Math.abs(found[at] - expected), `input ${i}, element ${at}`).toBeLessThan(
          2e-3 * Math.max(1, Math.abs(expected)),
        );
      }
    }
  });

  // Every run drops other elements, so the gradient is compared with the mask of the same run.
  test('Dropout: the gradient passes where elements did, divided by the share that is kept', async () => {
    const graph = new Graph('dropout');
    const x = graph.input('x', 'float32', [1000]);
    const inputs = [x, graph.scalar(0.25), graph.boolean(true)];
    const dropped = graph.ops('Dropout', inputs, 2, { seed: 7 })[0];
    const scalar = graph.op('ReduceSum', [graph.op('Mul', [dropped, graph.scalar(3)])], { keepdims: 0 });
    const [dx] = gradients(graph, scalar, [x]);
    graph.output(dropped, 'dropped', 'float32', [1000]);
    graph.output(dx, 'dx', 'float32', [1000]);
    const run = await runner(graph);
    const result = await run(new Map([['x', { dims: [1000], values: new Float32Array(1000).fill(1) }]]));
    const found = result.get('dropped')!;
    const zeros = found.filter((value) => value === 0).length;
    expect(zeros).toBeGreaterThan(180);
    expect(zeros).toBeLessThan(320);
    result.get('dx')!.forEach((value, i) => expect(value).toBeCloseTo(3 * found[i], 5));
  });

  test('add up where a value is used twice', async () => {
    const graph = new Graph('twice');
    const x = graph.input('x', 'float32', [2]);
    const square = graph.op('Mul', [x, x]);
    const scalar = graph.op('ReduceSum', [graph.op('Add', [square, x])], { keepdims: 0 });
    const [dx] = gradients(graph, scalar, [x]);
    graph.output(dx, 'dx', 'float32', [2]);
    const run = await runner(graph);
    const result = await run(new Map([['x', { dims: [2], values: Float32Array.of(3, -0.5) }]]));
    expect([...result.get('dx')!]).toEqual([7, 0]);
  });

  test('are not made up for unknown operators', () => {
    const graph = new Graph('unknown');
    const x = graph.input('x', 'float32', [2]);
    const scalar = graph.op('ReduceSum', [graph.op('Sin', [x])], { keepdims: 0 });
    expect(() => gradients(graph, scalar, [x])).toThrow('There is no gradient rule for the operator Sin.');
  });
});

function size(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1);
}

/** Elements of the case's value, asked of the runtime itself. */
async function outputCount(one: Case): Promise<number> {
  const graph = new Graph('size');
  const leaves = one.shapes.map((dims, i) => graph.input(`x${i}`, 'float32', dims));
  const value = one.build?.(graph, leaves) ?? graph.op(one.op, leaves, one.attributes);
  graph.output(graph.op('Reshape', [value, graph.integers([-1])]), 'value', 'float32', ['n']);
  const run = await runner(graph);
  const feeds = one.shapes.map(
    (dims, i) => [`x${i}`, { dims, values: new Float32Array(size(dims)) }] as const,
  );
  return (await run(new Map(feeds))).get('value')!.length;
}
