import { MICROSOFT, type Value } from '../onnx/graph.js';
import { mapped } from '../matrices.js';
import type { Products } from './products.js';
import { nameOf, type Store } from './store.js';
import type { Linear } from './weight-reader.js';

/** The least and greatest value of each channel (column) of an operand during calibration. */
export interface ChannelRange {
  readonly min: Float32Array;
  readonly max: Float32Array;
}

/** Ranges of all operands of a graph, by the operands' names. */
export type Ranges = ReadonlyMap<string, ChannelRange>;

/** Room beyond the calibrated range: values outside are cut off, which costs far more than coarser steps. */
const HEADROOM = 1.05;

/** The part of the difference in range that moves from the activations to the weights, 0 to 1. */
const SMOOTHING = 0.9;

/**
 * Products of bytes: activations as unsigned bytes with a scale fixed by calibration, weights as signed bytes with a
 * scale per output. Fixed scales, unlike dynamic ones, belong to the model and not to the batch, so a pair's score does
 * not depend on the other pairs of its batch.
 */
export function int8Products(store: Store, ranges: Ranges): Products {
  const { graph } = store;
  return (rows, { name, uneven }) => {
    const range = ranges.get(name);
    if (!range) throw new RangeError(`There is no calibrated range for ${name}.`);
    const smoothing = uneven ? smoothingOf(range) : range.min.map(() => 1);
    const { scale, zero } = affine(range, smoothing);
    const step = graph.scalar(scale);
    const zeroPoint = store.tensor(`${name} zero point`, 'uint8', [], () => Uint8Array.of(zero));
    const smooth = uneven ? graph.op('Mul', [rows, reciprocals(store, name, smoothing)]) : rows;
    const bytes = graph.op('QuantizeLinear', [smooth, step, zeroPoint]);
    const product = (linear: Linear, bias: readonly Value[]): Value => {
      const { values, scales } = byteWeights(store, linear, smoothing);
      const inputs = [bytes, values, step, scales, zeroPoint, '' as const, ...bias];
      return graph.op('MatMulIntegerToFloat', inputs, {}, MICROSOFT);
    };
    return {
      times: (linear) => product(linear, []),
      timesPlusBias: (linear, bias) => product(linear, [bias]),
      timesPlusRows: (linear, residual) => graph.op('Add', [product(linear, []), residual]),
    };
  };
}

/**
 * The divisor of each channel, by which the weights' rows are multiplied. A few channels of a BERT have ten times the
 * range of the rest and would leave these only a few steps of the byte; weights, which have a scale per output, bear
 * the difference better (SmoothQuant, Xiao et al. 2023). With the shipped T, Kendall's τ is .974 (.964 with
 * SmoothQuant's α = ½).
 */
function smoothingOf({ min, max }: ChannelRange): Float32Array {
  const reach = mapped(min, (low, channel) => Math.max(-low, max[channel]));
  const furthest = reach.reduce((most, value) => Math.max(most, value), 0);
  return mapped(reach, (value) => Math.max(value / furthest, 1e-4) ** SMOOTHING || 1);
}

function reciprocals(store: Store, name: string, smoothing: Float32Array): Value {
  return store.floats(`${name} smoothing`, [smoothing.length], async () =>
    mapped(smoothing, (value) => 1 / value),
  );
}

/** The scale and zero point of an operand; zero itself is exact. */
function affine({ min, max }: ChannelRange, smoothing: Float32Array): { scale: number; zero: number } {
  let low = 0;
  let high = 0;
  smoothing.forEach((divisor, channel) => {
    low = Math.min(low, (HEADROOM * min[channel]) / divisor);
    high = Math.max(high, (HEADROOM * max[channel]) / divisor);
  });
  const scale = Math.fround((high - low) / 255) || 1;
  return { scale, zero: Math.round(-low / scale) };
}

/** Symmetric signed bytes per output: w[i][o] · smoothing[i] ≈ values[i][o] · scales[o]. */
function byteWeights(
  store: Store,
  linear: Linear,
  smoothing: Float32Array,
): { readonly values: Value; readonly scales: Value } {
  const { inputs, outputs } = store.weights.shape(linear);
  const name = nameOf(linear);
  const matrix = async () =>
    mapped(await store.weights.matrix(linear), (weight, i) => weight * smoothing[Math.floor(i / outputs)]);
  const scales = (weights: Float32Array): Float32Array => {
    const largest = new Float32Array(outputs);
    weights.forEach((weight, i) => (largest[i % outputs] = Math.max(largest[i % outputs], Math.abs(weight))));
    return mapped(largest, (value) => value / 127 || 1);
  };
  return {
    values: store.tensor(`${name} bytes`, 'int8', [inputs, outputs], async () => {
      const weights = await matrix();
      const perOutput = scales(weights);
      return Int8Array.from(weights, (weight, i) => Math.round(weight / perOutput[i % outputs]));
    }),
    scales: store.tensor(`${name} scales`, 'float32', [outputs], async () => scales(await matrix())),
  };
}
