import type { BertWeights } from '../checkpoint/index.js';

/** An operand of products of bytes: rows, divided channel by channel by `smoothing`, in steps from a zero point. */
export interface Int8Operand {
  readonly step: number;
  readonly zero: number;
  /** True for two bytes of each number: the second holds what the first rounds off, in steps of 1 / {@link REST_STEPS}. */
  readonly hasRest: boolean;
  /** The divisor of each channel; absent where all are 1. */
  readonly smoothing?: Float32Array;
}

/** Steps of the rest in one step. With as many, rounding the rest and rounding the divided weights cost about the same. */
export const REST_STEPS = 12;

/** The weights of a linear layer as bytes `[outputs, inputs]`: w[o][i] · smoothing[i] ≈ values[o][i] · scales[o]. */
export interface Int8Matrix {
  readonly outputs: number;
  readonly inputs: number;
  readonly values: Int8Array;
  readonly scales: Float32Array;
}

/** A model's products of bytes. What it does not name is computed in floats. */
export interface Int8Form {
  /** By the operands' names. */
  readonly operands: ReadonlyMap<string, Int8Operand>;
  /** By the names of the layers, or of the parts of their inputs (see nameOf). */
  readonly matrices: ReadonlyMap<string, Int8Matrix>;
  /** The order in which a layer's hidden units are computed, by the layer's number (see reorderedUnits). */
  readonly orders: ReadonlyMap<number, Int32Array>;
}

/**
 * The parts of a layer's hidden units, after they are ordered by how far they reach. The last eighth reach several times
 * as far as the others, which therefore get finer steps of their own.
 */
export function int8UnitParts(intermediate: number): readonly (readonly [from: number, to: number])[] {
  const cut = intermediate - Math.floor(intermediate / 8);
  return [
    [0, cut],
    [cut, intermediate],
  ];
}

/** The name of a part of a layer's hidden units as an operand; without a part, of all. */
export function hiddenName(layer: number, part?: readonly [from: number, to: number]): string {
  return `layer ${layer} hidden${part ? ` ${part.join(':')}` : ''}`;
}

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
