import { MICROSOFT, type Value } from '../onnx/graph.js';
import { type Int8Form, type Int8Matrix, REST_STEPS } from './int8-form.js';
import type { Products } from './products.js';
import { nameOf, type Store } from './store.js';
import type { Linear } from './weight-reader.js';

/**
 * Products of bytes: activations as unsigned bytes with a scale fixed by calibration, weights as signed bytes with a
 * scale per output. Fixed scales, unlike dynamic ones, belong to the model and not to the batch, so a pair's score does
 * not depend on the other pairs of its batch.
 */
export function int8Products(store: Store, floats: Products, form: Int8Form): Products {
  const { graph } = store;
  return (rows, name) => {
    const operand = form.operands.get(name);
    if (!operand) return floats(rows, name);
    const { smoothing, hasRest } = operand;
    const smooth = smoothing ? graph.op('Mul', [rows, reciprocals(store, name, smoothing)]) : rows;
    const step = graph.scalar(operand.step);
    const zeroPoint = graph.initializer(`${name} zero point`, 'uint8', [], () => Uint8Array.of(operand.zero));
    const first = graph.op('QuantizeLinear', [smooth, step, zeroPoint]);
    const rest = () => {
      const missing = graph.op('Sub', [smooth, graph.op('DequantizeLinear', [first, step, zeroPoint])]);
      return graph.op('QuantizeLinear', [missing, graph.scalar(operand.step / REST_STEPS), zeroPoint]);
    };
    const bytes = hasRest ? graph.op('Concat', [first, rest()], { axis: 1 }) : first;
    const product = (linear: Linear, bias: readonly Value[]): Value => {
      const { values, scales } = byteWeights(store, linear, form, hasRest);
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

function reciprocals(store: Store, name: string, smoothing: Float32Array): Value {
  return store.floats(`${name} smoothing`, [smoothing.length], async () =>
    smoothing.map((value) => 1 / value),
  );
}

/**
 * A layer's bytes `[inputs, outputs]` and scales, or those of some of its outputs. For rows with a rest the bytes follow a
 * second time, divided by {@link REST_STEPS}: one product then adds up both parts of the rows.
 */
function byteWeights(
  store: Store,
  linear: Linear,
  form: Int8Form,
  hasRest: boolean,
): { readonly values: Value; readonly scales: Value } {
  const { layer, inputs: ofInputs, scale = 1 } = linear;
  const matrix = form.matrices.get(nameOf({ layer, ...(ofInputs && { inputs: ofInputs }) }));
  if (!matrix) throw new RangeError(`There are no bytes of ${layer}.`);
  const [from, to] = linear.outputs ?? [0, matrix.outputs];
  const name = nameOf(linear);
  return {
    values: store.graph.initializer(
      `${name} bytes`,
      'int8',
      [hasRest ? 2 * matrix.inputs : matrix.inputs, to - from],
      () => (hasRest ? withRest(columns(matrix, from, to)) : columns(matrix, from, to)),
    ),
    scales: store.graph.initializer(`${name} scales`, 'float32', [to - from], () =>
      matrix.scales.slice(from, to).map((value) => value * scale),
    ),
  };
}

/** The bytes of some outputs, `[inputs, outputs]`. */
function columns({ inputs, values }: Int8Matrix, from: number, to: number): Int8Array {
  const result = new Int8Array(inputs * (to - from));
  for (let output = from; output < to; output++) {
    for (let input = 0; input < inputs; input++) {
      result[input * (to - from) + output - from] = values[output * inputs + input];
    }
  }
  return result;
}

/** The bytes, and after them those for the rest of the rows. */
function withRest(bytes: Int8Array): Int8Array {
  const both = new Int8Array(2 * bytes.length);
  both.set(bytes);
  both.set(
    bytes.map((value) => Math.round(value / REST_STEPS)),
    bytes.length,
  );
  return both;
}
