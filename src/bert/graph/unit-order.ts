import type { BertWeights } from '../checkpoint/index.js';

const UNITS = /^encoder\.layer\.(\d+)\.(intermediate\.dense\.(?:weight|bias)|output\.dense\.weight)$/;

/** The same model with the hidden units of some layers in another order, by the layer's number: the same scores. */
export function reorderedUnits(weights: BertWeights, orders: ReadonlyMap<number, Int32Array>): BertWeights {
  return {
    ...weights,
    async get(name) {
      const values = await weights.get(name);
      const [, layer, part] = UNITS.exec(name) ?? [];
      const order = layer === undefined ? undefined : orders.get(Number(layer));
      if (!order) return values;
      const units = order.length;
      if (part === 'output.dense.weight') {
        return values.map((_, i) => values[i - (i % units) + order[i % units]]);
      }
      const width = values.length / units;
      return values.map((_, i) => values[order[Math.floor(i / width)] * width + (i % width)]);
    },
  };
}
