import type { ModelConfig } from '../../bert/index.js';
import { ElementType, float, type Graph, type Value } from '../../bert/onnx/index.js';
import type { Composite } from '../autodiff/gradients.js';
import type { Dropout, MaskDimension } from './dropout.js';
import { IDS, PADDING, POSITIONS, SEGMENTS, TYPES, WORDS } from './names.js';

/** The parts that a forward pass is built from. */
export interface Builder {
  readonly graph: Graph;
  readonly config: ModelConfig;
  readonly weight: (name: string) => Value;
  readonly dropout: Dropout;
  /** The bias of attention scores, `[batch, 1, 1, sequence]`. */
  readonly padding: Value;
  /** The number of sequences, as a shape of one dimension. */
  readonly batch: Value;
  readonly float: 'float32' | 'float16';
  /** Values with a gradient rule of their own. */
  readonly composites: Map<Value, Composite>;
  /** softmax(q·kᵀ/√size + padding)·v: from `[batch, ·, heads, size]` to `[batch, heads, ·, size]`; `dims` are the scores'. */
  readonly attend: (q: Value, k: Value, v: Value, dims: readonly MaskDimension[]) => Value;
  /** The attention of all tokens of a layer, `[tokens, hidden]`, where it is computed in a way of its own. */
  readonly attendToItself?: (x: Value, layer: number) => Value;
}

/**
 * The logits `[batch, labels]` of summed embeddings `[tokens, hidden]`. The classifier reads the first token only, so the
 * last layer computes that token alone; the others serve as keys and values.
 */
export function logitsOf(builder: Builder, tokens: Value): Value {
  const { graph, config, dropout } = builder;
  const last = config.layers - 1;
  const x = layersBefore(last, builder, tokens)[last]!;
  const first = encoderLayer(builder, x, last, firstTokens(builder, x));
  const pooled = graph.op('Tanh', [dense(builder, first, 'pooler.dense')]);
  return dense(builder, dropout(pooled, ['batch', config.hidden]), 'classifier');
}

/**
 * The forward pass of a BERT encoder that shows, for all tokens, the summed embeddings, and as `states` the embeddings
 * and the output of every layer, each `[tokens, hidden]`.
 */
export function encoderStates(
  graph: Graph,
  config: ModelConfig,
  weight: (name: string) => Value,
  dropout: Dropout,
): { readonly tokens: Value; readonly states: readonly Value[] } {
  const { builder, tokens } = embeddings(graph, config, weight, dropout);
  return { tokens, states: layersBefore(config.layers, builder, tokens) };
}

/** The output of the last layer, `[tokens, hidden]`, of summed embeddings. */
export function lastStates(builder: Builder, tokens: Value): Value {
  return layersBefore(builder.config.layers, builder, tokens).at(-1)!;
}

/**
 * The summed embeddings of the graph's inputs, `[tokens, hidden]`, and the parts for the layers of a BERT whose weights
 * are inputs, by operators that have gradient rules. Activations have a row per token, so that a linear layer is one Gemm.
 */
export function embeddings(
  graph: Graph,
  config: ModelConfig,
  weight: (name: string) => Value,
  dropout: Dropout,
): { readonly tokens: Value; readonly builder: Builder } {
  const { hidden } = config;
  const ids = graph.input(IDS, 'int32', ['batch', 'sequence']);
  const segments = graph.input(SEGMENTS, 'int32', ['batch', 'sequence']);
  const padding = graph.input(PADDING, 'float32', ['batch', 1, 1, 'sequence']);
  const shape = graph.op('Shape', [ids]);
  const batch = part(graph, shape, 0);
  const composites = new Map<Value, Composite>();
  const parts = { graph, config, weight, dropout, padding, batch, float: 'float32' as const, composites };
  const builder = { ...parts, attend: attendBySteps(parts) };

  const positions = graph.op('Slice', [weight(POSITIONS), graph.integers([0]), part(graph, shape, 1)]);
  const places = graph.op('Add', [graph.op('Gather', [weight(TYPES), segments]), positions]);
  const summed = graph.op('Add', [graph.op('Gather', [weight(WORDS), ids]), places]);
  const tokens = graph.op('Reshape', [summed, graph.integers([-1, hidden])]);
  return { builder, tokens };
}

/** The embeddings after LayerNorm and the first layers, for all tokens. */
function layersBefore(end: number, builder: Builder, tokens: Value): Value[] {
  const embedded = layerNorm(builder, tokens, 'embeddings.LayerNorm');
  const states = [builder.dropout(embedded, ['tokens', builder.config.hidden])];
  for (let layer = 0; layer < end; layer++) {
    states.push(encoderLayer(builder, states[layer]!, layer));
  }
  return states;
}

/** One dimension of a shape, as a shape. */
function part(graph: Graph, shape: Value, axis: number): Value {
  return graph.op('Gather', [shape, graph.integers([axis])]);
}

function firstTokens({ graph, config, batch }: Builder, x: Value): Value {
  const shape = graph.op('Concat', [batch, graph.integers([-1, config.hidden])], { axis: 0 });
  const sequences = graph.op('Reshape', [x, shape]);
  const [zero, one] = [graph.integers([0]), graph.integers([1])];
  const first = graph.op('Slice', [sequences, zero, one, one]);
  return graph.op('Reshape', [first, graph.integers([-1, config.hidden])]);
}

/** A layer for the tokens `x`, all or the first of each sequence, which attend to `all` tokens of their sequences. */
function encoderLayer(builder: Builder, all: Value, layer: number, x = all): Value {
  const { graph, dropout } = builder;
  const { hidden } = builder.config;
  const name = `encoder.layer.${layer}`;
  const dropped = (value: Value): Value => dropout(value, [x === all ? 'tokens' : 'batch', hidden]);
  const output = dense(builder, attention(builder, all, layer, x), `${name}.attention.output.dense`);
  const attended = graph.op('Add', [dropped(output), x]);
  const middle = layerNorm(builder, attended, `${name}.attention.output.LayerNorm`);
  const wide = dense(builder, middle, `${name}.intermediate.dense`);
  const narrow = dense(builder, activated(builder, wide), `${name}.output.dense`);
  return layerNorm(builder, graph.op('Add', [dropped(narrow), middle]), `${name}.output.LayerNorm`);
}

export function activated({ graph, config: { activation } }: Builder, x: Value): Value {
  return activation === 'relu'
    ? graph.op('Relu', [x])
    : graph.op('Gelu', [x], { approximate: activation === 'gelu' ? 'none' : 'tanh' });
}

/** softmax(q·kᵀ/√size + padding)·v of every head, `[queries, hidden]`. */
function attention(builder: Builder, all: Value, layer: number, x: Value): Value {
  const { graph, config, batch, attend, attendToItself } = builder;
  if (x === all && attendToItself) return attendToItself(x, layer);
  const size = config.hidden / config.heads;
  const shape = graph.op('Concat', [batch, graph.integers([-1, config.heads, size])], { axis: 0 });
  const self = `encoder.layer.${layer}.attention.self`;
  const [q, k, v] = [
    dense(builder, x, `${self}.query`),
    dense(builder, all, `${self}.key`),
    dense(builder, all, `${self}.value`),
  ].map((flat) => graph.op('Reshape', [flat, shape]));
  const dims = ['batch', config.heads, x === all ? 'sequence' : 1, 'sequence'] as const;
  const mixed = graph.op('Transpose', [attend(q, k, v, dims)], { perm: [0, 2, 1, 3] });
  return graph.op('Reshape', [mixed, graph.integers([-1, config.hidden])]);
}

/** Attention by standard operators. */
function attendBySteps({ graph, config, dropout, padding }: Omit<Builder, 'attend'>): Builder['attend'] {
  return (q, k, v, dims) => {
    const scaled = graph.op('Mul', [q, graph.scalar(1 / Math.sqrt(config.hidden / config.heads))]);
    const probes = graph.op('Transpose', [scaled], { perm: [0, 2, 1, 3] });
    const keys = graph.op('Transpose', [k], { perm: [0, 2, 3, 1] });
    const values = graph.op('Transpose', [v], { perm: [0, 2, 1, 3] });
    const scores = graph.op('Add', [graph.op('MatMul', [probes, keys]), padding]);
    const shares = dropout(graph.op('Softmax', [scores], { axis: -1 }), dims);
    return graph.op('MatMul', [shares, values]);
  };
}

/** y = x·Wᵀ + b, with weights `[outputs, inputs]` as in checkpoints. */
export function dense({ graph, weight }: Builder, x: Value, layer: string): Value {
  return graph.op('Gemm', [x, weight(`${layer}.weight`), weight(`${layer}.bias`)], { transB: 1 });
}

export function layerNorm({ graph, config, weight }: Builder, x: Value, name: string): Value {
  // The gradient needs the other outputs: the mean and the reciprocal deviation.
  const outputs = graph.ops('LayerNormalization', [x, weight(`${name}.weight`), weight(`${name}.bias`)], 3, {
    axis: -1,
    epsilon: float(config.layerNormEps),
  });
  return outputs[0];
}

/** A value in 32 bits. */
export function widened(graph: Graph, x: Value, type: 'float32' | 'float16'): Value {
  return type === 'float32' ? x : graph.op('Cast', [x], { to: ElementType.float32 });
}
