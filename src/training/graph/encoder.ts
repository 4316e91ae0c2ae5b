import type { ModelConfig } from '../../bert/index.js';
import { float, type Graph, type Value } from '../../bert/onnx/index.js';
import type { AttentionQueries, Dropout } from './dropout.js';
import { IDS, PADDING, POSITIONS, SEGMENTS, TYPES, WORDS } from './names.js';

/** The parts that a forward pass is built from. */
interface Builder {
  readonly graph: Graph;
  readonly config: ModelConfig;
  readonly weight: (name: string) => Value;
  readonly dropout: Dropout;
  readonly padding: Value;
  /** The number of sequences, as a shape of one dimension. */
  readonly batch: Value;
}

export interface Encoded {
  /** `[batch, labels]`. */
  readonly logits: Value;
  /** The summed embeddings, `[tokens, hidden]`. */
  readonly tokens: Value;
}

export interface EncoderStates extends Pick<Encoded, 'tokens'> {
  /** The embeddings, then the output of every layer, each `[tokens, hidden]`. */
  readonly states: readonly Value[];
}

/**
 * The forward pass of a BERT cross-encoder whose weights are inputs, by operators that have gradient rules. Activations
 * are `[tokens, hidden]`, so that a linear layer is one Gemm. The classifier reads the first token only, so the last
 * layer computes that token alone; the others serve as keys and values.
 */
export function encoder(
  graph: Graph,
  config: ModelConfig,
  weight: (name: string) => Value,
  dropout: Dropout,
): Encoded {
  const last = config.layers - 1;
  const { builder, tokens, states } = layersBefore(last, graph, config, weight, dropout);
  const x = states[last]!;
  const first = encoderLayer(builder, firstTokens(builder, x), x, last, 'first');
  const pooled = graph.op('Tanh', [dense(builder, first, 'pooler.dense')]);
  return { tokens, logits: dense(builder, dropout.ofSequences(pooled), 'classifier') };
}

/** The forward pass of a BERT encoder that shows every layer, for all tokens. */
export function encoderStates(
  graph: Graph,
  config: ModelConfig,
  weight: (name: string) => Value,
  dropout: Dropout,
): EncoderStates {
  const { tokens, states } = layersBefore(config.layers, graph, config, weight, dropout);
  return { tokens, states };
}

/** The embeddings and the first layers, for all tokens. */
function layersBefore(
  end: number,
  graph: Graph,
  config: ModelConfig,
  weight: (name: string) => Value,
  dropout: Dropout,
): EncoderStates & { readonly builder: Builder } {
  const { hidden } = config;
  const ids = graph.input(IDS, 'int32', ['batch', 'sequence']);
  const segments = graph.input(SEGMENTS, 'int32', ['batch', 'sequence']);
  const padding = graph.input(PADDING, 'float32', ['batch', 1, 1, 'sequence']);
  const shape = graph.op('Shape', [ids]);
  const batch = part(graph, shape, 0);
  const builder: Builder = { graph, config, weight, dropout, padding, batch };

  const positions = graph.op('Slice', [weight(POSITIONS), graph.integers([0]), part(graph, shape, 1)]);
  const places = graph.op('Add', [graph.op('Gather', [weight(TYPES), segments]), positions]);
  const summed = graph.op('Add', [graph.op('Gather', [weight(WORDS), ids]), places]);
  const tokens = graph.op('Reshape', [summed, graph.integers([-1, hidden])]);
  const states = [dropout.ofTokens(layerNorm(builder, tokens, 'embeddings.LayerNorm'))];
  for (let layer = 0; layer < end; layer++) {
    const x = states[layer]!;
    states.push(encoderLayer(builder, x, x, layer, 'all'));
  }
  return { builder, tokens, states };
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

/** A layer for the tokens `x`, which attend to `all` tokens of their sequences. */
function encoderLayer(
  builder: Builder,
  x: Value,
  all: Value,
  layer: number,
  queries: AttentionQueries,
): Value {
  const { graph, config, dropout } = builder;
  const name = `encoder.layer.${layer}`;
  const dropped = (value: Value): Value =>
    queries === 'all' ? dropout.ofTokens(value) : dropout.ofSequences(value);
  const output = dense(builder, attention(builder, x, all, layer, queries), `${name}.attention.output.dense`);
  const attended = graph.op('Add', [dropped(output), x]);
  const middle = layerNorm(builder, attended, `${name}.attention.output.LayerNorm`);
  const wide = dense(builder, middle, `${name}.intermediate.dense`);
  const active =
    config.activation === 'relu'
      ? graph.op('Relu', [wide])
      : graph.op('Gelu', [wide], { approximate: config.activation === 'gelu' ? 'none' : 'tanh' });
  const narrow = dense(builder, active, `${name}.output.dense`);
  return layerNorm(builder, graph.op('Add', [dropped(narrow), middle]), `${name}.output.LayerNorm`);
}

/** softmax(q·kᵀ/√size + padding)·v of every head, `[queries, hidden]`. */
function attention(builder: Builder, x: Value, all: Value, layer: number, queries: AttentionQueries): Value {
  const { graph, config, batch, dropout, padding } = builder;
  const size = config.hidden / config.heads;
  const heads = graph.op('Concat', [batch, graph.integers([-1, config.heads, size])], { axis: 0 });
  const self = `encoder.layer.${layer}.attention.self`;
  const split = (flat: Value, perm: readonly number[]): Value =>
    graph.op('Transpose', [graph.op('Reshape', [flat, heads])], { perm });
  const scaled = graph.op('Mul', [dense(builder, x, `${self}.query`), graph.scalar(1 / Math.sqrt(size))]);
  const q = split(scaled, [0, 2, 1, 3]);
  const k = split(dense(builder, all, `${self}.key`), [0, 2, 3, 1]);
  const v = split(dense(builder, all, `${self}.value`), [0, 2, 1, 3]);
  const scores = graph.op('Add', [graph.op('MatMul', [q, k]), padding]);
  const shares = dropout.ofAttention(graph.op('Softmax', [scores], { axis: -1 }), queries);
  const mixed = graph.op('Transpose', [graph.op('MatMul', [shares, v])], { perm: [0, 2, 1, 3] });
  return graph.op('Reshape', [mixed, graph.integers([-1, config.hidden])]);
}

/** y = x·Wᵀ + b, with weights `[outputs, inputs]` as in checkpoints. */
function dense({ graph, weight }: Builder, x: Value, layer: string): Value {
  return graph.op('Gemm', [x, weight(`${layer}.weight`), weight(`${layer}.bias`)], { transB: 1 });
}

function layerNorm({ graph, config, weight }: Builder, x: Value, name: string): Value {
  // The gradient needs the other outputs: the mean and the reciprocal deviation.
  const outputs = graph.ops('LayerNormalization', [x, weight(`${name}.weight`), weight(`${name}.bias`)], 3, {
    axis: -1,
    epsilon: float(config.layerNormEps),
  });
  return outputs[0];
}
