import type { Graph, Value } from '../../bert/onnx/index.js';
import { Algebra } from './algebra.js';
import { rules } from './rules.js';

/**
 * Adds the gradients of a scalar with respect to some values of the graph, by reverse-mode differentiation: nodes are
 * visited from the scalar backwards, and each operator has a rule.
 */
export function gradients(graph: Graph, scalar: Value, leaves: readonly Value[]): Value[] {
  const math = new Algebra(graph);
  const forward = [...graph.nodes];
  const dependent = new Set<string>(leaves);
  for (const { inputs, outputs } of forward) {
    if (inputs.some((input) => dependent.has(input))) for (const output of outputs) dependent.add(output);
  }
  const known = new Map<string, Value>([[scalar, graph.scalar(1)]]);
  for (const node of forward.reverse()) {
    const gradient = known.get(node.outputs[0]);
    if (gradient === undefined || !node.inputs.some((input) => dependent.has(input))) continue;
    const rule = rules[node.op];
    if (rule === undefined) throw new RangeError(`There is no gradient rule for the operator ${node.op}.`);
    const parts = rule({
      math,
      gradient,
      attributes: node.attributes,
      inputs: node.inputs as readonly Value[],
      outputs: node.outputs as readonly Value[],
    });
    node.inputs.forEach((input, i) => {
      if (!dependent.has(input)) return;
      const before = known.get(input);
      const part = parts[i]();
      known.set(input, before === undefined ? part : math.add(before, part));
    });
  }
  return leaves.map((leaf) => {
    const gradient = known.get(leaf);
    if (gradient === undefined) throw new RangeError(`The scalar does not depend on ${leaf}.`);
    return gradient;
  });
}
