import type { Value } from '../onnx/index.js';
import { constant, type Context } from './context.js';
import type { Operand } from './products.js';
import type { Linear } from './weight-reader.js';

/** rows · W + b. `shift` names a bias that the rows already carry (see layerNorm). */
export function linear(context: Context, operand: Operand, part: Linear, shift?: string): Value {
  const { outputs } = context.weights.shape(part);
  const range = part.outputs ? `[${part.outputs.join(':')}]` : '';
  const bias = constant(context, `${part.layer}.bias${range}`, [outputs], () =>
    context.weights.bias(part, shift),
  );
  return operand.times(part, bias);
}
