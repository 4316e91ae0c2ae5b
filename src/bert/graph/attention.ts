import { float, MICROSOFT, type Value } from '../onnx/index.js';
import { constant, type Context, rows } from './context.js';
import { linear } from './linear.js';
import type { Linear } from './weight-reader.js';

/** With this many heads or fewer, a chain of products per head beats the fused operator (docs/design.md). */
const UNROLLED_HEADS = 4;

/**
 * Self-attention and its residual sum: x + attention(x)·W + b, where x arrives with that b, named `shift`,
 * already added. Keys need no bias: it moves all of a query's scores alike and the softmax takes it out.
 */
export function attention(context: Context, x: Value, layer: number, shift: string): Value {
  return context.config.heads <= UNROLLED_HEADS
    ? attentionByHead(context, x, layer, shift)
    : fusedAttention(context, x, layer, shift);
}

/** Per head, `[batch, sequence, size]` from the start: nothing is ever transposed. */
function attentionByHead(context: Context, x: Value, layer: number, shift: string): Value {
  const { graph, config, products } = context;
  const size = config.hidden / config.heads;
  const perHead = context.shape(size);
  const operand = products(x);
  let sum = x;
  for (let head = 0; head < config.heads; head++) {
    const range = [head * size, (head + 1) * size] as const;
    const { query, key, value, output } = projections(config, layer);
    const asSequences = (flat: Value) => graph.op('Reshape', [flat, perHead]);
    const q = asSequences(linear(context, operand, { ...query, outputs: range }, shift));
    const k = asSequences(operand.times({ ...key, outputs: range }));
    const v = asSequences(linear(context, operand, { ...value, outputs: range }, shift));
    const scores = graph.op('MatMul', [q, graph.op('Transpose', [k], { perm: [0, 2, 1] })]);
    const mixed = graph.op('MatMul', [graph.op('Softmax', [scores], { axis: -1 }), v]);
    sum = products(rows(context, mixed, size)).times({ ...output, inputs: range }, sum);
  }
  return sum;
}

/** All heads in onnxruntime's own operator. */
function fusedAttention(context: Context, x: Value, layer: number, shift: string): Value {
  const { graph, config, products } = context;
  const { query, key, value, output } = projections(config, layer);
  const operand = products(x);
  const shape = context.shape(config.hidden);
  const [q, k, v] = [
    linear(context, operand, query, shift),
    operand.times(key),
    linear(context, operand, value, shift),
  ].map((flat) => graph.op('Reshape', [flat, shape]));
  const attributes = { num_heads: config.heads, scale: float(1) };
  const mixed = graph.op('MultiHeadAttention', [q, k, v], attributes, MICROSOFT);
  return products(rows(context, mixed, config.hidden)).times(output, x);
}

/**
 * Self-attention of the first token alone, [CLS], from which the score is read: `[batch, hidden]`. With one
 * query per sequence, keys and values need not be computed: q·(x·K) = (q·Kᵀ)·x and Σ p·(x·V) = (Σ p·x)·V, so
 * the work per token falls from 4·hidden² to 4·heads·hidden.
 */
export function firstTokenAttention(context: Context, sequences: Value, first: Value, layer: number): Value {
  const { graph, config, weights } = context;
  const { hidden, heads } = config;
  const size = hidden / heads;
  const { query, key, value } = projections(config, layer);
  const asked = linear(context, context.exactProducts(first), query);
  const q = graph.op('Reshape', [asked, graph.integers([-1, heads, size])]);
  const keys = constant(context, `${key.layer} by head`, [heads, size, hidden], () =>
    weights.tensor(`${key.layer}.weight`),
  );
  const probes = swapped(context, graph.op('MatMul', [swapped(context, q), keys]));
  const scores = graph.op('MatMul', [probes, graph.op('Transpose', [sequences], { perm: [0, 2, 1] })]);
  const mixed = graph.op('MatMul', [graph.op('Softmax', [scores], { axis: -1 }), sequences]);
  const values = constant(context, `${value.layer} by head`, [heads, hidden, size], async () => {
    const parts = new Float32Array(hidden * hidden);
    for (let head = 0; head < heads; head++) {
      const outputs = [head * size, (head + 1) * size] as const;
      parts.set(await weights.matrix({ ...value, outputs }), head * hidden * size);
    }
    return parts;
  });
  const bias = constant(context, `${value.layer}.bias`, [hidden], () => weights.bias(value));
  const heard = swapped(context, graph.op('MatMul', [swapped(context, mixed), values]));
  return graph.op('Add', [rows(context, heard, hidden), bias]);
}

/** `[a, b, c]` → `[b, a, c]`. */
function swapped({ graph }: Context, value: Value): Value {
  return graph.op('Transpose', [value], { perm: [1, 0, 2] });
}

/** The scores' 1/√size is folded into the queries. */
function projections({ hidden, heads }: Context['config'], layer: number): Record<string, Linear> {
  const self = `encoder.layer.${layer}.attention.self`;
  return {
    query: { layer: `${self}.query`, scale: 1 / Math.sqrt(hidden / heads) },
    key: { layer: `${self}.key` },
    value: { layer: `${self}.value` },
    output: { layer: `encoder.layer.${layer}.attention.output.dense` },
  };
}
