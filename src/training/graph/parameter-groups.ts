import { bertTensorShapes } from '../../bert/checkpoint/index.js';
import type { ModelConfig } from '../../bert/index.js';
import { isTable } from './names.js';

/** Parameters that a loop of steps keeps in one tensor: few large operations take less time than many small ones. */
export interface ParameterGroup {
  readonly name: string;
  /** The names of the parameters, in their order in the tensor. */
  readonly members: readonly string[];
  /** The number of elements of each. */
  readonly sizes: readonly number[];
  readonly size: number;
  /** True for weights with weight decay: as in BERT's code, all but LayerNorm and biases. */
  readonly decays: boolean;
}

/** The group of the embedding tables, a matrix of as many columns as the model's hidden units. */
export const TABLES = 'tables';

/** The groups of a model's parameters: tables, the matrices of each layer, those of the head, and all vectors. */
export function parameterGroups(config: ModelConfig): readonly ParameterGroup[] {
  const shapes = bertTensorShapes(config);
  const members = new Map<string, string[]>();
  for (const name of shapes.keys()) {
    const group = groupOf(name);
    members.set(group, [...(members.get(group) ?? []), name]);
  }
  return [...members].map(([name, names]) => {
    const sizes = names.map((member) => shapes.get(member)!.reduce((product, dim) => product * dim, 1));
    const size = sizes.reduce((sum, each) => sum + each, 0);
    return { name, members: names, sizes, size, decays: name !== VECTORS };
  });
}

const VECTORS = 'vectors';

function groupOf(parameter: string): string {
  if (isTable(parameter)) return TABLES;
  if (!decays(parameter)) return VECTORS;
  return /^encoder\.layer\.\d+/.exec(parameter)?.[0] ?? 'head';
}

/** True for weights with weight decay: as in BERT's code, all but LayerNorm and biases. */
export function decays(parameter: string): boolean {
  return !/LayerNorm|bias/.test(parameter);
}
