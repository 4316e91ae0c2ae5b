import type { Value } from '../onnx/index.js';
import { attention, firstTokenAttention } from './attention.js';
import { type Context, layerNorm } from './context.js';
import { linear } from './linear.js';

/** The bias of a residual sum, carried by the LayerNorm before it. */
export const attentionBias = (layer: number): string => `encoder.layer.${layer}.attention.output.dense.bias`;

/** One encoder layer over all tokens; `next` names what its output shall carry for the layer that follows. */
export function encoderLayer(context: Context, x: Value, layer: number, next: string | undefined): Value {
  const name = `encoder.layer.${layer}`;
  const outputBias = `${name}.output.dense.bias`;
  const attended = attention(context, x, layer, attentionBias(layer));
  const middle = layerNorm(context, attended, `${name}.attention.output.LayerNorm`, outputBias);
  const wide = linear(context, context.products(middle), { layer: `${name}.intermediate.dense` }, outputBias);
  const hidden = context.products(activation(context, wide));
  return layerNorm(
    context,
    hidden.times({ layer: `${name}.output.dense` }, middle),
    `${name}.output.LayerNorm`,
    next,
  );
}

/**
 * The last encoder layer for the first token only: `[batch, hidden]`. The classifier reads nothing else, so
 * the other tokens enter here as keys and values but are not carried further.
 */
export function firstTokenLayer(context: Context, x: Value, layer: number): Value {
  const { graph, config, exactProducts } = context;
  const name = `encoder.layer.${layer}`;
  const sequences = graph.op('Reshape', [x, context.shape(config.hidden)]);
  const first = graph.op('Gather', [sequences, graph.integers([0], [])], { axis: 1 });
  const heard = exactProducts(firstTokenAttention(context, sequences, first, layer));
  const attended = linear(context, heard, { layer: `${name}.attention.output.dense` });
  const middle = layerNorm(context, graph.op('Add', [attended, first]), `${name}.attention.output.LayerNorm`);
  const wide = linear(context, exactProducts(middle), { layer: `${name}.intermediate.dense` });
  const narrow = linear(context, exactProducts(activation(context, wide)), { layer: `${name}.output.dense` });
  return layerNorm(context, graph.op('Add', [narrow, middle]), `${name}.output.LayerNorm`);
}

function activation({ graph, config }: Context, x: Value): Value {
  if (config.activation === 'relu') return graph.op('Relu', [x]);
  return graph.op('Gelu', [x], { approximate: config.activation === 'gelu' ? 'none' : 'tanh' });
}
