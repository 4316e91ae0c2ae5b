import type { Value } from '../onnx/graph.js';
import { attention, firstTokenAttention } from './attention.js';
import { type Context, layerNorm } from './context.js';
import { hiddenName } from './int8-form.js';
import type { Operand } from './products.js';

/** The name of the bias of attention's residual sum, which the LayerNorm before it adds. */
export function attentionBias(layer: number): string {
  return `encoder.layer.${layer}.attention.output.dense.bias`;
}

/** One encoder layer over all tokens; `next` names the bias that its LayerNorm adds for the layer that follows. */
export function encoderLayer(context: Context, x: Value, layer: number, next: string | undefined): Value {
  const name = `encoder.layer.${layer}`;
  const outputBias = `${name}.output.dense.bias`;
  const attended = attention(context, x, layer, attentionBias(layer));
  const middle = layerNorm(context, attended, `${name}.attention.output.LayerNorm`, outputBias);
  const sum = feedForward(context, middle, layer, outputBias);
  return layerNorm(context, sum, `${name}.output.LayerNorm`, next);
}

/**
 * The feed-forward part and its residual sum, x + activation(x·W₁ + b₁)·W₂ + b₂. That b₂, the tensor `shift`, has
 * already been added to x. Hidden units may be computed in parts: Σ over parts of activation(x·W₁ + b₁)·W₂.
 */
function feedForward(context: Context, x: Value, layer: number, shift: string): Value {
  const { store, products, unitParts } = context;
  const operand = products(x, `layer ${layer} middle`);
  let sum = x;
  for (const part of unitParts) {
    const widen = { layer: `encoder.layer.${layer}.intermediate.dense`, ...(part && { outputs: part }) };
    const narrow = { layer: `encoder.layer.${layer}.output.dense`, ...(part && { inputs: part }) };
    const wide = operand.timesPlusBias(widen, store.bias(widen, shift));
    const hidden = products(activation(context, wide), hiddenName(layer, part));
    sum = hidden.timesPlusRows(narrow, sum);
  }
  return sum;
}

/**
 * The last encoder layer for the first token only: `[batch, hidden]`. The classifier reads nothing else, so the other
 * tokens are keys and values here but have no output.
 */
export function firstTokenLayer(context: Context, x: Value, layer: number): Value {
  const { graph, config, exact } = context;
  const name = `encoder.layer.${layer}`;
  const sequences = graph.op('Reshape', [x, context.shape(config.hidden)]);
  const first = graph.op('Gather', [sequences, graph.integers([0], [])], { axis: 1 });
  const mixed = exact(firstTokenAttention(context, sequences, first, layer));
  const attended = dense(context, mixed, `${name}.attention.output.dense`);
  const middle = layerNorm(context, graph.op('Add', [attended, first]), `${name}.attention.output.LayerNorm`);
  const wide = dense(context, exact(middle), `${name}.intermediate.dense`);
  const narrow = dense(context, exact(activation(context, wide)), `${name}.output.dense`);
  return layerNorm(context, graph.op('Add', [narrow, middle]), `${name}.output.LayerNorm`);
}

/** A whole linear layer with its bias. */
export function dense({ store }: Context, operand: Operand, layer: string): Value {
  return operand.timesPlusBias({ layer }, store.bias({ layer }));
}

export function activation({ graph, config }: Pick<Context, 'graph' | 'config'>, x: Value): Value {
  if (config.activation === 'relu') return graph.op('Relu', [x]);
  return graph.op('Gelu', [x], { approximate: config.activation === 'gelu' ? 'none' : 'tanh' });
}
