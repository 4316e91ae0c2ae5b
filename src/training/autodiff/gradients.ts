import type { Graph, Value } from '../../bert/onnx/index.js';
import { Algebra } from './algebra.js';
import { rules } from './rules.js';

/** A value that several nodes compute, with the gradients of what it depends on by a rule of its own. */
export interface Composite {
  readonly inputs: readonly Value[];
  readonly rule: (gradient: Value) => readonly Value[];
}

export interface GradientOptions {
  /** The type of the values whose rules have constants (float32). */
  readonly float?: 'float32' | 'float16';
  /** The gradient of the scalar itself (1). */
  readonly seed?: Value;
  readonly composites?: ReadonlyMap<Value, Composite>;
}

/**
 * Adds the gradients of a scalar with respect to some values of the graph, by reverse-mode differentiation: nodes are
 * visited from the scalar backwards, and each operator has a rule.
 */
export function gradients(
  graph: Graph,
  scalar: Value,
  leaves: readonly Value[],
  { float, seed = graph.scalar(1), composites }: GradientOptions = {},
): Value[] {
  const math = new Algebra(graph, float);
  const forward = [...graph.nodes];
  const dependent = new Set<string>(leaves);
  for (const { inputs, outputs } of forward) {
    if (inputs.some((input) => dependent.has(input))) for (const output of outputs) dependent.add(output);
  }
  const known = new Map<string, Value>([[scalar, seed]]);
  const learn = (inputs: readonly string[], part: (i: number) => Value): void =>
    inputs.forEach((input, i) => {
      if (!dependent.has(input)) return;
      const before = known.get(input);
      const found = part(i);
      known.set(input, before === undefined ? found : math.add(before, found));
    });
  for (const node of forward.reverse()) {
    const gradient = known.get(node.outputs[0]);
    if (gradient === undefined || !node.inputs.some((input) => dependent.has(input))) continue;
    const composite = composites?.get(node.outputs[0] as Value);
    if (composite) {
      // The nodes inside get no gradient, and so are not visited.
      const found = composite.rule(gradient);
      learn(composite.inputs, (i) => found[i]);
      continue;
    }
    const rule = rules[node.op];
    if (rule === undefined) throw new RangeError(`There is no gradient rule for the operator ${node.op}.`);
    const parts = rule({
      math,
      gradient,
      attributes: node.attributes,
      inputs: node.inputs as readonly Value[],
      outputs: node.outputs as readonly Value[],
    });
    learn(node.inputs, (i) => parts[i]());
  }
  return leaves.map((leaf) => {
    const gradient = known.get(leaf);
    if (gradient === undefined) throw new RangeError(`The scalar does not depend on ${leaf}.`);
    return gradient;
  });
}
