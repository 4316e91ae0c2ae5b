import type { BertWeights } from '../checkpoint/index.js';
import {
  hiddenName,
  type Int8Form,
  type Int8Matrix,
  type Int8Operand,
  int8UnitParts,
  nameOf,
  reorderedUnits,
  REST_STEPS,
  WeightReader,
} from '../graph/index.js';
import { roundedWeights } from './rounding.js';

/** What was seen of an operand's channels (columns) on the pairs of a calibration. */
export interface ObservedChannels {
  readonly min: Float32Array;
  readonly max: Float32Array;
  /** Sums over all rows of the products of two channels; absent for wide operands. */
  readonly moments?: Float64Array;
}

/** All operands of a graph, by their names. */
export type Observed = ReadonlyMap<string, ObservedChannels>;

/** Room beyond the calibrated range: values outside are cut off, which costs far more than coarser steps. */
const HEADROOM = 1.05;

/** The part of the difference in range that moves from the activations to the weights, 0 to 1. */
const SMOOTHING = 0.9;

/** The operand that stays in floats: in S it carries more of the error than any other (docs/benchmarks-scoring.md). */
const INPUT = 'layer 0 input';

/** True for operands of two bytes. In S a second byte mends most there for the time that it takes. */
function hasRest(operand: string, intermediate: number): boolean {
  const [, reaching] = int8UnitParts(intermediate);
  return ['layer 0 middle', hiddenName(0, reaching), 'layer 1 input', hiddenName(1, reaching)].includes(
    operand,
  );
}

/** The int8 form of a model, from what was seen of its operands. */
export async function int8Form(weights: BertWeights, observed: Observed): Promise<Int8Form> {
  const { layers, intermediate } = weights.config;
  const operands = new Map<string, Int8Operand>();
  const matrices = new Map<string, Int8Matrix>();
  const orders = new Map<number, Int32Array>();
  for (let layer = 0; layer < layers - 1; layer++) {
    orders.set(layer, unitOrder(observed.get(hiddenName(layer))!));
  }
  const reader = new WeightReader(reorderedUnits(weights, orders));
  const add = async (name: string, layersOf: readonly string[]) => {
    const seen = observed.get(name);
    if (!seen || name === INPUT) return;
    const smoothing = smoothingOf(seen);
    operands.set(name, { ...affine(seen, smoothing, hasRest(name, intermediate)), smoothing });
    const moments = smoothedMoments(seen, smoothing);
    for (const layer of layersOf) {
      matrices.set(layer, byteMatrix(await reader.rows({ layer }), seen.min.length, smoothing, moments));
    }
  };
  for (let layer = 0; layer < layers - 1; layer++) {
    const name = `encoder.layer.${layer}`;
    const attention = ['query', 'key', 'value'].map((part) => `${name}.attention.self.${part}`);
    const operand = (part: string) => `layer ${layer} ${part}`;
    await add(operand('input'), attention);
    await add(operand('heads'), [`${name}.attention.output.dense`]);
    await add(operand('middle'), [`${name}.intermediate.dense`]);
    for (const part of int8UnitParts(intermediate)) {
      const hidden = hiddenName(layer, part);
      const seen = channelsOf(observed.get(hiddenName(layer))!, orders.get(layer)!.subarray(...part));
      operands.set(hidden, affine(seen, undefined, hasRest(hidden, intermediate)));
      const linear = { layer: `${name}.output.dense`, inputs: part };
      const rows = await reader.rows(linear);
      matrices.set(nameOf(linear), byteMatrix(rows, seen.min.length, undefined, seen.moments));
    }
  }
  return { operands, matrices, orders };
}

/** Hidden units by how far they reach, the furthest last. */
function unitOrder(seen: ObservedChannels): Int32Array {
  const reach = reachOf(seen);
  return Int32Array.from(reach, (_, unit) => unit).sort((a, b) => reach[a] - reach[b] || a - b);
}

function reachOf({ min, max }: ObservedChannels): Float32Array {
  return min.map((low, channel) => Math.max(-low, max[channel]));
}

/**
 * The divisor of each channel, by which the weights' rows are multiplied. A few channels of a BERT have ten times the
 * range of the rest and would leave these only a few steps of the byte; weights, which have a scale per output, bear
 * the difference better (SmoothQuant, Xiao et al. 2023).
 */
function smoothingOf(seen: ObservedChannels): Float32Array {
  const reach = reachOf(seen);
  const furthest = reach.reduce((most, value) => Math.max(most, value), 0);
  return reach.map((value) => Math.max(value / furthest, 1e-4) ** SMOOTHING || 1);
}

/** The scale and zero point of an operand; zero itself is exact. A rest has the same zero point and room for half a step around it. */
function affine(
  { min, max }: ObservedChannels,
  smoothing: Float32Array | undefined,
  hasRest: boolean,
): Int8Operand {
  let low = 0;
  let high = 0;
  for (let channel = 0; channel < min.length; channel++) {
    const divisor = smoothing?.[channel] ?? 1;
    low = Math.min(low, (HEADROOM * min[channel]) / divisor);
    high = Math.max(high, (HEADROOM * max[channel]) / divisor);
  }
  const step = Math.fround((high - low) / 255) || 1;
  const margin = hasRest ? REST_STEPS / 2 : 0;
  return { step, hasRest, zero: Math.min(Math.max(Math.round(-low / step), margin), 255 - margin) };
}

function byteMatrix(
  rows: Float32Array,
  inputs: number,
  smoothing: Float32Array | undefined,
  moments: Float64Array | undefined,
): Int8Matrix {
  const outputs = rows.length / inputs;
  const smooth = smoothing ? rows.map((weight, i) => weight * smoothing[i % inputs]) : rows;
  const scales = new Float32Array(outputs);
  smooth.forEach((weight, i) => {
    const output = Math.floor(i / inputs);
    scales[output] = Math.max(scales[output], Math.abs(weight));
  });
  scales.forEach((largest, output) => (scales[output] = largest / 127 || 1));
  return { outputs, inputs, scales, values: roundedWeights(smooth, scales, moments) };
}

function smoothedMoments({ moments }: ObservedChannels, smoothing: Float32Array): Float64Array | undefined {
  const width = smoothing.length;
  return moments?.map((value, i) => value / (smoothing[Math.floor(i / width)] * smoothing[i % width]));
}

/** Some of the channels, in this order. */
function channelsOf({ min, max, moments }: ObservedChannels, channels: Int32Array): ObservedChannels {
  const [all, width] = [min.length, channels.length];
  return {
    min: Float32Array.from(channels, (channel) => min[channel]),
    max: Float32Array.from(channels, (channel) => max[channel]),
    ...(moments && {
      moments: Float64Array.from(
        { length: width * width },
        (_, i) => moments[channels[Math.floor(i / width)] * all + channels[i % width]],
      ),
    }),
  };
}
