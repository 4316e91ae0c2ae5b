import { float, MICROSOFT, type Value } from '../onnx/graph.js';
import { type Context, rows } from './context.js';
import type { Linear } from './weight-reader.js';

/**
 * Self-attention and its residual sum: x + attention(x)·W + b. That b, the tensor `shift`, has already been added to x.
 * Keys need no bias: it changes all scores of a query by the same amount, which the softmax cancels.
 */
export function attention(context: Context, x: Value, layer: number, shift: string): Value {
  return context.attention === 'by head'
    ? attentionByHead(context, x, layer, shift)
    : attentionOfHeads(context, x, layer, shift);
}

/** Attention head by head, `[batch, sequence, size]`: only keys are transposed. */
function attentionByHead(context: Context, x: Value, layer: number, shift: string): Value {
  const { graph, config, store } = context;
  const size = config.hidden / config.heads;
  const perHead = context.shape(size);
  const operand = context.products(x, `layer ${layer} input`);
  let sum = x;
  for (let head = 0; head < config.heads; head++) {
    const range = [head * size, (head + 1) * size] as const;
    const { query, key, value, output } = projections(config, layer, range);
    const asSequences = (flat: Value) => graph.op('Reshape', [flat, perHead]);
    const q = asSequences(operand.timesPlusBias(query, store.bias(query, shift)));
    const k = asSequences(operand.times(key));
    const v = asSequences(operand.timesPlusBias(value, store.bias(value, shift)));
    const scores = graph.op('MatMul', [q, graph.op('Transpose', [k], { perm: [0, 2, 1] })]);
    const mixed = graph.op('MatMul', [graph.op('Softmax', [scores], { axis: -1 }), v]);
    // In floats: so small a product gains nothing from bytes, which would cost the most accuracy here.
    sum = context.exact(rows(context, mixed, size)).timesPlusRows(output, sum);
  }
  return sum;
}

function attentionOfHeads(context: Context, x: Value, layer: number, shift: string): Value {
  const { config, store } = context;
  const { query, key, value, output } = projections(config, layer);
  const operand = context.products(x, `layer ${layer} input`);
  const q = operand.timesPlusBias(query, store.bias(query, shift));
  const k = operand.times(key);
  const v = operand.timesPlusBias(value, store.bias(value, shift));
  const mix = context.attention === 'fused' ? fusedMix : plainMix;
  const attended = mix(context, q, k, v);
  const mixed = context.products(rows(context, attended, config.hidden), `layer ${layer} heads`);
  return mixed.timesPlusRows(output, x);
}

/** softmax(q·kᵀ)·v of every head, from and to `[batch · sequence, hidden]`. */
type Mix = (context: Context, q: Value, k: Value, v: Value) => Value;

const fusedMix: Mix = ({ graph, config, shape }, ...projected) => {
  const sequences = shape(config.hidden);
  const inputs = projected.map((flat) => graph.op('Reshape', [flat, sequences]));
  return graph.op('MultiHeadAttention', inputs, { num_heads: config.heads, scale: float(1) }, MICROSOFT);
};

const plainMix: Mix = (context, q, k, v) => {
  const { graph, config, shape } = context;
  const heads = shape(config.heads, config.hidden / config.heads);
  const split = (flat: Value, perm: number[]) =>
    graph.op('Transpose', [graph.op('Reshape', [flat, heads])], { perm });
  const scores = graph.op('MatMul', [split(q, [0, 2, 1, 3]), split(k, [0, 2, 3, 1])]);
  const shares = sharesOf(context, scores, [1, 2]);
  const mixed = graph.op('MatMul', [shares, split(v, [0, 2, 1, 3])]);
  return graph.op('Transpose', [mixed], { perm: [0, 2, 1, 3] });
};

/** The softmax of scores over their last axis, without padding; `axes` are those that the mask lacks. */
function sharesOf({ graph, mask }: Context, scores: Value, axes: readonly number[]): Value {
  const masked = mask
    ? graph.op('Add', [scores, graph.op('Unsqueeze', [mask, graph.integers(axes)])])
    : scores;
  return graph.op('Softmax', [masked], { axis: -1 });
}

/**
 * Self-attention of the first token, [CLS], from which the score is read: `[batch, hidden]`. With one query per
 * sequence, keys and values need not be computed: q·(x·K) = (q·Kᵀ)·x and Σ p·(x·V) = (Σ p·x)·V. The work per token
 * falls from 4·hidden² to 4·heads·hidden.
 */
export function firstTokenAttention(context: Context, sequences: Value, first: Value, layer: number): Value {
  const { graph, config, store } = context;
  const { hidden, heads } = config;
  const size = hidden / heads;
  const { query, key, value } = projections(config, layer);
  const asked = context.exact(first).timesPlusBias(query, store.bias(query));
  const q = graph.op('Reshape', [asked, graph.integers([-1, heads, size])]);
  const keys = store.floats(`${key.layer} by head`, [heads, size, hidden], () =>
    store.weights.tensor(`${key.layer}.weight`),
  );
  const probes = swapped(context, graph.op('MatMul', [swapped(context, q), keys]));
  const scores = graph.op('MatMul', [probes, graph.op('Transpose', [sequences], { perm: [0, 2, 1] })]);
  const mixed = graph.op('MatMul', [sharesOf(context, scores, [1]), sequences]);
  const values = store.floats(`${value.layer} by head`, [heads, hidden, size], () =>
    store.weights.matrixByHead(value.layer, heads),
  );
  const attended = swapped(context, graph.op('MatMul', [swapped(context, mixed), values]));
  return graph.op('Add', [rows(context, attended, hidden), store.bias(value)]);
}

/** `[a, b, c]` → `[b, a, c]`. */
function swapped({ graph }: Context, value: Value): Value {
  return graph.op('Transpose', [value], { perm: [1, 0, 2] });
}

/** The four linear layers of attention, or one head's part of each; queries are scaled by the scores' 1/√size. */
function projections(
  { hidden, heads }: Context['config'],
  layer: number,
  head?: readonly [from: number, to: number],
): Readonly<Record<'query' | 'key' | 'value' | 'output', Linear>> {
  const self = `encoder.layer.${layer}.attention.self`;
  const outputs = head ? { outputs: head } : {};
  return {
    query: { layer: `${self}.query`, ...outputs, scale: 1 / Math.sqrt(hidden / heads) },
    key: { layer: `${self}.key`, ...outputs },
    value: { layer: `${self}.value`, ...outputs },
    output: { layer: `encoder.layer.${layer}.attention.output.dense`, ...(head ? { inputs: head } : {}) },
  };
}
