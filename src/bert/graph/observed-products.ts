import type { Products } from './products.js';
import type { Store } from './store.js';

/** Suffixes of an observed graph's outputs: the range of each operand. */
export const LEAST = ' least';
export const GREATEST = ' greatest';

/** Float products that also output, per channel, the least and greatest values of their operands. */
export function observedProducts({ graph }: Store, floats: Products): Products {
  return (rows, traits) => {
    const { name } = traits;
    const axis = graph.integers([0]);
    for (const [op, end] of [
      ['ReduceMin', LEAST],
      ['ReduceMax', GREATEST],
    ] as const) {
      graph.output(graph.op(op, [rows, axis], { keepdims: 0 }), `${name}${end}`, 'float32', [
        `${name} channels`,
      ]);
    }
    return floats(rows, traits);
  };
}
