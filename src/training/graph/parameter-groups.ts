import { bertTensorShapes } from '../../bert/checkpoint/index.js';
import type { ModelConfig } from '../../bert/index.js';
import { headOf, type LossKind } from './loss.js';
import { isTable } from './names.js';

/** A parameter as a graph uses it, or parameters that follow each other and are used as one. */
export interface GroupPart {
  readonly name: string;
  readonly shape: readonly number[];
}

/** Parameters that a loop of steps keeps in one tensor: few large operations take less time than many small ones. */
export interface ParameterGroup {
  readonly name: string;
  readonly members: readonly string[];
  readonly shapes: readonly (readonly number[])[];
  readonly sizes: readonly number[];
  readonly size: number;
  /** The same in the parts that the graph cuts it into. */
  readonly parts: readonly GroupPart[];
  /**
   * The columns of the tensor, which is a matrix: every parameter is a number of whole rows. To cut and to join along
   * an axis, CUDA makes a table as long as the axis, which takes far longer than the copy if that is millions.
   */
  readonly columns: number;
  /** True for weights with weight decay: as in BERT's code, all but LayerNorm and biases. */
  readonly decays: boolean;
}

/** The group of the embedding tables, a matrix of as many columns as the model's hidden units. */
export const TABLES = 'tables';

/** The name of the queries, keys and values of a layer as one product. */
export function selfAttention(layer: number): string {
  return `encoder.layer.${layer}.attention.self`;
}

/**
 * The groups of a model's parameters: tables, the matrices of each layer, those of the head, and vectors. Queries, keys
 * and values are one part, but for the last layer of a classifier, where queries are those of the first token only.
 */
export function parameterGroups(config: ModelConfig, kind: LossKind): readonly ParameterGroup[] {
  const head = headOf(kind);
  const shapes = bertTensorShapes(config, head);
  const joined = head === 'classifier' ? config.layers - 1 : config.layers;
  const partsOf = (names: readonly string[]) =>
    names.flatMap((name): GroupPart[] => {
      const shape = shapes.get(name)!;
      const [, layer, part, array] = /layer\.(\d+)\.attention\.self\.(\w+)\.(\w+)$/.exec(name) ?? [];
      if (part === undefined || Number(layer) >= joined) return [{ name, shape }];
      const [outputs, ...rest] = shape;
      const whole = { name: `${selfAttention(Number(layer))}.${array}`, shape: [3 * outputs, ...rest] };
      return part === 'query' ? [whole] : [];
    });
  const members = new Map<string, string[]>();
  for (const name of shapes.keys()) {
    const group = groupOf(name);
    members.set(group, [...(members.get(group) ?? []), name]);
  }
  return [...members].map(([name, names]) => {
    const own = names.map((member) => shapes.get(member)!);
    const sizes = own.map(sizeOf);
    const size = sizes.reduce((sum, each) => sum + each, 0);
    const columns = name === TABLES ? config.hidden : sizes.reduce((a, b) => greatestDivisor(a, b));
    const parts = partsOf(names);
    return { name, members: names, shapes: own, sizes, size, parts, columns, decays: decays(names[0]) };
  });
}

/** The number of a tensor's elements. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, 1);
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

/** The bias of a head is a group of its own: its size, one, two or the vocabulary's, would be the columns of the others'. */
const headBias = /^(?:classifier|cls\.predictions)\.bias$/;

function groupOf(parameter: string): string {
  if (isTable(parameter)) return TABLES;
  if (headBias.test(parameter)) return parameter;
  if (!decays(parameter)) return 'vectors';
  return /^encoder\.layer\.\d+/.exec(parameter)?.[0] ?? 'head';
}

/** True for the matrices of layers, or their group, which Muon updates where it is the optimiser. */
export function usesMuon(parameter: string): boolean {
  return parameter.startsWith('encoder.layer.') && decays(parameter);
}

/** True for weights with weight decay: as in BERT's code, all but LayerNorm and biases. */
export function decays(parameter: string): boolean {
  return !/LayerNorm|bias/.test(parameter);
}
