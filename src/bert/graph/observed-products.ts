import type { ModelConfig } from '../config.js';
import { hiddenName } from './int8-form.js';
import type { Products } from './products.js';
import type { Store } from './store.js';

/** Suffixes of an observed graph's outputs: the range of each operand, and the products of its channels. */
export const LEAST = ' least';
export const GREATEST = ' greatest';
export const MOMENTS = ' moments';

/** The widest operand whose channels are multiplied with each other. */
const WIDEST_MOMENTS = 1024;

/**
 * Float products that also output, per channel, the least and greatest values of their operands and, unless these are
 * wide, the sums over all rows of the products of two channels, `[channels, channels]`.
 */
export function observedProducts({ graph }: Store, floats: Products, config: ModelConfig): Products {
  return (rows, name) => {
    const axis = graph.integers([0]);
    const channels = `${name} channels`;
    for (const [op, end] of [
      ['ReduceMin', LEAST],
      ['ReduceMax', GREATEST],
    ] as const) {
      graph.output(graph.op(op, [rows, axis], { keepdims: 0 }), `${name}${end}`, 'float32', [channels]);
    }
    if (widthOf(name, config) <= WIDEST_MOMENTS) {
      const moments = graph.op('MatMul', [graph.op('Transpose', [rows], { perm: [1, 0] }), rows]);
      graph.output(moments, `${name}${MOMENTS}`, 'float32', [channels, channels]);
    }
    return floats(rows, name);
  };
}

function widthOf(name: string, { hidden, intermediate, layers }: ModelConfig): number {
  const isHidden = Array.from({ length: layers }, (_, layer) => hiddenName(layer)).includes(name);
  return isHidden ? intermediate : hidden;
}
