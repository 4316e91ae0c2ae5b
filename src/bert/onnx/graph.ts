import { getOrInsert } from '../../common/get-or-insert.js';
import { narrowToHalf } from '../checkpoint/dtype.js';

/** ONNX's numbers of element types. */
export const ElementType = {
  float32: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
} as const;

type ElementTypeName = keyof typeof ElementType;

/** A value of the graph: the name of an input, an initialiser or a node's output. */
export type Value = string & { readonly __value: unique symbol };

/** A dimension: a size, or the name of a size known at run time only. */
type Dimension = number | string;

/** An attribute that is a float: ONNX tells 1.0 from 1, JavaScript does not. */
interface FloatAttribute {
  readonly float: number;
}

/** `Graph`: the body of a loop or a branch, see {@link Graph.body}. */
export type Attribute = number | FloatAttribute | string | readonly number[] | Graph;

export type Attributes = Readonly<Record<string, Attribute>>;

export interface GraphNode {
  readonly op: string;
  /** '' for the standard operators, `com.microsoft` for onnxruntime's own. */
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Attributes;
}

/** A constant of the graph. Its bytes are produced when the model is written, one tensor at a time. */
export interface Initializer {
  readonly name: string;
  readonly type: ElementTypeName;
  readonly dims: readonly number[];
  readonly data: () => ArrayBufferView | Promise<ArrayBufferView>;
}

export interface GraphInput {
  readonly name: string;
  readonly type: ElementTypeName;
  readonly dims: readonly Dimension[];
}

/** The version of the standard operators. */
export const OPSET = 20;

export const MICROSOFT = 'com.microsoft';

/** An ONNX graph under construction. Nodes are added in an order in which they can run. */
export class Graph {
  readonly nodes: GraphNode[] = [];
  readonly initializers: Initializer[] = [];
  readonly inputs: GraphInput[] = [];
  readonly outputs: GraphInput[] = [];
  #counter = 0;
  readonly #constants = new Map<string, Value>();

  constructor(
    readonly name: string,
    /** Names in a body may not be those of the graphs around it. */
    private readonly prefix = '',
  ) {}

  /** A graph that is an attribute of one of this graph's nodes. Its nodes may use values of this graph. */
  body(name: string): Graph {
    return new Graph(name, `${this.prefix}${name}/`);
  }

  /** The initialisers of this graph and of all bodies in it. */
  allInitializers(): Initializer[] {
    const bodies = this.nodes.flatMap(({ attributes }) =>
      Object.values(attributes).filter((value): value is Graph => value instanceof Graph),
    );
    return [...this.initializers, ...bodies.flatMap((body) => body.allInitializers())];
  }

  input(name: string, type: ElementTypeName, dims: readonly Dimension[]): Value {
    const full = `${this.prefix}${name}`;
    this.inputs.push({ name: full, type, dims });
    return full as Value;
  }

  /** Names a value as an output of the graph. */
  output(value: Value, name: string, type: ElementTypeName, dims: readonly Dimension[]): void {
    const full = `${this.prefix}${name}`;
    this.nodes.push({ op: 'Identity', domain: '', inputs: [value], outputs: [full], attributes: {} });
    this.outputs.push({ name: full, type, dims });
  }

  initializer(
    name: string,
    type: ElementTypeName,
    dims: readonly number[],
    data: Initializer['data'],
  ): Value {
    this.initializers.push({ name, type, dims, data });
    return name as Value;
  }

  /** A small constant of int64s (shapes, axes, indices); equal constants are stored once. */
  integers(values: readonly number[], dims: readonly number[] = [values.length]): Value {
    return this.#constant(`int64 ${dims.join('x')}: ${values.join(' ')}`, 'int64', dims, () =>
      BigInt64Array.from(values, BigInt),
    );
  }

  scalar(value: number, type: 'float32' | 'float16' = 'float32'): Value {
    return this.#constant(`${type}: ${value}`, type, [], () =>
      type === 'float16' ? narrowToHalf(Float32Array.of(value)) : Float32Array.of(value),
    );
  }

  boolean(value: boolean): Value {
    return this.#constant(`bool: ${value}`, 'bool', [], () => Uint8Array.of(Number(value)));
  }

  /** Adds a node with one output and returns that output. */
  op(op: string, inputs: readonly (Value | '')[], attributes: Attributes = {}, domain = ''): Value {
    return this.ops(op, inputs, 1, attributes, domain)[0];
  }

  /**
   * Adds a node that computes a constant from an initialiser just before it is used. onnxruntime orders nodes by
   * walking back from the outputs, later ones first. As the first nodes of the graph these run one at a time; elsewhere
   * all would run ahead of the other nodes, and their results would fill memory together.
   */
  derived(op: string, initializer: Value, attributes: Attributes = {}): Value {
    const output = `${op} of ${initializer}` as Value;
    this.nodes.unshift({ op, domain: '', inputs: [initializer], outputs: [output], attributes });
    return output;
  }

  /** Adds a node with several outputs. */
  ops(
    op: string,
    inputs: readonly (Value | '')[],
    count: number,
    attributes: Attributes = {},
    domain = '',
  ): Value[] {
    const id = this.#counter++;
    const outputs = Array.from(
      { length: count },
      (_, i) => `${this.prefix}${op}_${id}${count > 1 ? `_${i}` : ''}` as Value,
    );
    this.nodes.push({ op, domain, inputs, outputs, attributes });
    return outputs;
  }

  #constant(name: string, type: ElementTypeName, dims: readonly number[], data: Initializer['data']): Value {
    return getOrInsert(this.#constants, name, () =>
      this.initializer(`${this.prefix}${name}`, type, dims, data),
    );
  }
}

export function float(value: number): FloatAttribute {
  return { float: value };
}
