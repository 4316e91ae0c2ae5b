import { ElementType, type Graph, type Value } from '../../bert/onnx/index.js';

/** Arithmetic on values of a graph; numbers become constants of the type of the values they meet. */
export class Algebra {
  constructor(
    readonly graph: Graph,
    readonly float: 'float32' | 'float16' = 'float32',
  ) {}

  add(a: Value | number, b: Value | number): Value {
    return this.#both('Add', a, b);
  }

  subtract(a: Value | number, b: Value | number): Value {
    return this.#both('Sub', a, b);
  }

  multiply(a: Value | number, b: Value | number): Value {
    return this.#both('Mul', a, b);
  }

  /** The sum over one axis, which is kept with size 1 or removed. */
  sum(x: Value, axis: number, keep: boolean): Value {
    return this.graph.op('ReduceSum', [x, this.graph.integers([axis])], { keepdims: keep ? 1 : 0 });
  }

  /** The mean over the last axis, which is kept with size 1. */
  mean(x: Value): Value {
    return this.graph.op('ReduceMean', [x, this.graph.integers([-1])], { keepdims: 1 });
  }

  unary(op: 'Erf' | 'Exp' | 'Tanh' | 'Shape', x: Value): Value {
    return this.graph.op(op, [x]);
  }

  /** A float32 value in the type of the others. */
  narrowed(x: Value): Value {
    return this.float === 'float32' ? x : this.graph.op('Cast', [x], { to: ElementType[this.float] });
  }

  #both(op: 'Add' | 'Sub' | 'Mul', a: Value | number, b: Value | number): Value {
    const value = (x: Value | number): Value =>
      typeof x === 'number' ? this.graph.scalar(x, this.float) : x;
    return this.graph.op(op, [value(a), value(b)]);
  }
}
