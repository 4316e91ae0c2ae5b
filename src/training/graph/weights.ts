import type { Graph, Value } from '../../bert/onnx/index.js';
import { type GradientOptions, gradients } from '../autodiff/gradients.js';
import { gradientOf, LOSS } from './names.js';

type Shapes = ReadonlyMap<string, readonly number[]>;

/** The weights of a model as inputs of its graph. */
export function weightInputs(graph: Graph, shapes: Shapes): Map<string, Value> {
  return new Map(Array.from(shapes, ([name, shape]) => [name, graph.input(name, 'float32', shape)]));
}

/** Rows that were looked up in tables, and the output that has the gradient of each. */
export interface LookedUpRows {
  readonly rows: Value;
  readonly output: string;
  readonly width: number;
}

/**
 * A loss and its gradients as outputs: one of each of the `weights`, and one of each row that was looked up in a table. Those
 * of rows are summed outside of the graph.
 */
export function lossOutputs(
  graph: Graph,
  loss: Value,
  weights: ReadonlyMap<string, Value>,
  shapes: Shapes,
  lookedUp?: LookedUpRows,
  options?: GradientOptions,
): void {
  const leaves = [...(lookedUp ? [lookedUp.rows] : []), ...weights.values()];
  const found = gradients(graph, loss, leaves, options);
  graph.output(loss, LOSS, 'float32', []);
  if (lookedUp) {
    graph.output(found.shift()!, lookedUp.output, 'float32', ['looked-up rows', lookedUp.width]);
  }
  [...weights.keys()].forEach((name, i) =>
    graph.output(found[i], gradientOf(name), 'float32', shapes.get(name)!),
  );
}
