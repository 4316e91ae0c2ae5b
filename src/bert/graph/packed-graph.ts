import type { BertWeights } from '../checkpoint/index.js';
import type { ModelConfig } from '../config.js';
import { ElementType, float, Graph, MICROSOFT, type Value } from '../onnx/index.js';
import { mapped, timesVector } from './matrices.js';
import { GRAPH_IDS, GRAPH_LOGITS, GRAPH_PLACES, GRAPH_SLOTS, GRAPH_STARTS } from './names.js';
import { paddingSlot, placeTable } from './embeddings.js';
import { type Float, Store } from './store.js';
import { WeightReader } from './weight-reader.js';

/** Variants, while they are compared. */
export interface PackedStyle {
  readonly attention?: 'whole' | 'separate' | 'joined';
  readonly embeddings?: 'gathered' | 'fused';
  readonly last?: 'half' | 'float' | 'all';
}

/** What is added to the attention score of padding: e to this is 0. */
const PENALTY = -10_000;

/** The parts of a packed graph under construction. */
interface Packed {
  readonly graph: Graph;
  readonly config: ModelConfig;
  readonly store: Store;
  /** Weights of the last layer and the classifier, which compute one token per sequence. */
  readonly exact: Store;
  /** First token of each sequence, and the end of the last: `[batch + 1]`. */
  readonly starts: Value;
  /** Where each token would stand in padded sequences: `[batch, sequence]`. */
  readonly places: Value;
  readonly style: Required<PackedStyle>;
}

/**
 * The forward pass of a BERT cross-encoder over sequences of any lengths, one after the other without padding, in
 * onnxruntime's own operators for CUDA: products add up in 32 bits, whatever `type` the numbers are kept in.
 */
export function packedGraph(source: BertWeights, type: Float, style: PackedStyle = {}): Graph {
  const { config } = source;
  const graph = new Graph('bert-qe packed cross-encoder');
  const ids = graph.input(GRAPH_IDS, 'int32', ['tokens']);
  const slots = graph.input(GRAPH_SLOTS, 'int32', ['tokens']);
  const starts = graph.input(GRAPH_STARTS, 'int32', ['ends']);
  const places = graph.input(GRAPH_PLACES, 'int32', ['batch', 'sequence']);
  const reader = new WeightReader(source);
  const packed: Packed = {
    graph,
    config,
    store: new Store(graph, reader, type),
    exact: new Store(graph, reader, 'float32'),
    starts,
    places,
    style: { attention: 'separate', embeddings: 'gathered', last: 'half', ...style },
  };
  let x = embeddings(packed, ids, slots);
  const last = config.layers - 1;
  for (let layer = 0; layer < last; layer++) x = encoderLayer(packed, x, layer);
  const logits = classifier(packed, firstTokenLayer(packed, x, last));
  graph.output(logits, GRAPH_LOGITS, 'float32', ['batch', config.labels]);
  return graph;
}

function embeddings({ graph, config, store, style }: Packed, ids: Value, slots: Value): Value {
  const { hidden, vocabulary } = config;
  const words = store.floats('embeddings words', [vocabulary, hidden], () =>
    store.weights.tensor('embeddings.word_embeddings.weight'),
  );
  const count = paddingSlot(config);
  const placed = store.floats('embeddings slots', [count, hidden], () =>
    placeTable(store.weights, config, count),
  );
  const name = 'embeddings.LayerNorm';
  if (style.embeddings === 'fused') {
    const one = graph.integers([1, -1]);
    const [gain, offset] = normWeights(store, config, name);
    const found = graph.ops(
      'EmbedLayerNormalization',
      [
        graph.op('Reshape', [ids, one]),
        '',
        words,
        placed,
        '',
        gain,
        offset,
        '',
        graph.op('Reshape', [slots, one]),
      ],
      2,
      { epsilon: float(config.layerNormEps) },
      MICROSOFT,
    )[0];
    return graph.op('Reshape', [found, graph.integers([-1, hidden])]);
  }
  return skipNorm(
    graph,
    store,
    config,
    graph.op('Gather', [words, ids]),
    graph.op('Gather', [placed, slots]),
    name,
  );
}

function normWeights(store: Store, { hidden }: ModelConfig, name: string): [gain: Value, offset: Value] {
  const { weights } = store;
  return [
    store.floats(`${name} gain`, [hidden], () => weights.tensor(`${name}.weight`)),
    store.floats(`${name} offset`, [hidden], () => weights.tensor(`${name}.bias`)),
  ];
}

/** LayerNorm of x + skip + bias. */
function skipNorm(
  graph: Graph,
  store: Store,
  config: ModelConfig,
  x: Value,
  skip: Value,
  name: string,
  bias?: Value,
): Value {
  const [gain, offset] = normWeights(store, config, name);
  const inputs = [x, skip, gain, offset, ...(bias === undefined ? [] : [bias])];
  return graph.op(
    'SkipLayerNormalization',
    inputs,
    { epsilon: float(config.layerNormEps) },
    MICROSOFT,
  );
}

function encoderLayer(packed: Packed, x: Value, layer: number): Value {
  const { graph, config, store } = packed;
  const name = `encoder.layer.${layer}`;
  const heard = attention(packed, x, layer);
  const output = { layer: `${name}.attention.output.dense` };
  const attended = graph.op('MatMul', [heard, store.matrix(output)]);
  const carried =
    packed.style.attention === 'separate' ? carriedBias(store, config, name) : store.bias(output);
  const middle = skipNorm(graph, store, config, attended, x, `${name}.attention.output.LayerNorm`, carried);
  return feedForward(packed, middle, name);
}

function feedForward({ graph, config, store }: Packed, middle: Value, name: string): Value {
  const wide = { layer: `${name}.intermediate.dense` };
  const narrow = { layer: `${name}.output.dense` };
  const hidden = activation(graph, config, graph.op('MatMul', [middle, store.matrix(wide)]), store.bias(wide));
  const sum = graph.op('MatMul', [hidden, store.matrix(narrow)]);
  return skipNorm(graph, store, config, sum, middle, `${name}.output.LayerNorm`, store.bias(narrow));
}

/** activation(x + bias). */
function activation(graph: Graph, config: ModelConfig, x: Value, bias: Value): Value {
  if (config.activation === 'relu') return graph.op('Relu', [graph.op('Add', [x, bias])]);
  return graph.op(config.activation === 'gelu' ? 'BiasGelu' : 'FastGelu', [x, bias], {}, MICROSOFT);
}

/**
 * The bias of attention's output, b + W·v, which carries that of the values, v: shares add up to one, so v reaches the
 * output as it is.
 */
function carriedBias(store: Store, { hidden }: ModelConfig, name: string): Value {
  const output = `${name}.attention.output.dense`;
  return store.floats(`${output} carried bias`, [hidden], async () => {
    const own = await store.weights.tensor(`${output}.bias`);
    const values = await store.weights.tensor(`${name}.attention.self.value.bias`);
    const moved = timesVector(await store.weights.tensor(`${output}.weight`), values);
    return mapped(own, (value, i) => value + moved[i]);
  });
}

function attention({ graph, config, store, starts, places, style }: Packed, x: Value, layer: number): Value {
  const self = `encoder.layer.${layer}.attention.self`;
  const parts = ['query', 'key', 'value'].map((part) => ({ layer: `${self}.${part}` }));
  const { hidden, heads } = config;
  const size = hidden / heads;
  if (style.attention === 'separate') {
    const [query, key, value] = parts;
    const q = graph.op('Gemm', [x, store.matrix(query), store.bias(query)]);
    const k = graph.op('MatMul', [x, store.matrix(key)]);
    const v = graph.op('MatMul', [x, store.matrix(value)]);
    return graph.op(
      'PackedMultiHeadAttention',
      [q, k, v, '', places, starts],
      { num_heads: heads },
      MICROSOFT,
    );
  }
  const bias = store.floats(`${self} bias`, [3 * hidden], async () => {
    const all = new Float32Array(3 * hidden);
    for (const [i, part] of parts.entries()) all.set(await store.weights.bias(part), i * hidden);
    return all;
  });
  const joined = style.attention === 'joined';
  const matrix = store.floats(`${self} weight`, [hidden, 3 * hidden], async () => {
    const all = new Float32Array(3 * hidden * hidden);
    for (const [i, part] of parts.entries()) {
      const own = await store.weights.matrix(part);
      for (let row = 0; row < hidden; row++) {
        for (let head = 0; head < heads; head++) {
          const from = row * hidden + head * size;
          const column = joined ? (head * 3 + i) * size : i * hidden + head * size;
          all.set(own.subarray(from, from + size), row * 3 * hidden + column);
        }
      }
    }
    return all;
  });
  if (joined) {
    const product = graph.op('MatMul', [x, matrix]);
    const rows = graph.op('Reshape', [product, graph.integers([-1, heads, 3, size])]);
    return graph.op(
      'PackedMultiHeadAttention',
      [rows, '', '', bias, places, starts],
      { num_heads: heads },
      MICROSOFT,
    );
  }
  return graph.op('PackedAttention', [x, matrix, bias, places, starts], { num_heads: heads }, MICROSOFT);
}

/** The last encoder layer for the first token of each sequence only: float32 `[batch, hidden]`. */
function firstTokenLayer(packed: Packed, x: Value, layer: number): Value {
  const { graph, config, store, exact, starts, style } = packed;
  const { hidden } = config;
  const name = `encoder.layer.${layer}`;
  const cast = (value: Value, to: Float) =>
    store.float === to ? value : graph.op('Cast', [value], { to: ElementType[to] });
  const firsts = graph.op('Slice', [starts, graph.integers([0]), graph.integers([-1])]);
  if (style.last === 'all') return cast(graph.op('Gather', [encoderLayer(packed, x, layer), firsts]), 'float32');
  const first = cast(graph.op('Gather', [x, firsts]), 'float32');
  const heard = firstTokenAttention(packed, x, first, layer);
  const output = { layer: `${name}.attention.output.dense` };
  const attended = graph.op('MatMul', [heard, exact.matrix(output)]);
  const norm = `${name}.attention.output.LayerNorm`;
  const middle = skipNorm(graph, exact, config, attended, first, norm, carriedBias(exact, config, name));
  void hidden;
  return feedForward({ ...packed, store: exact }, middle, name);
}

/** Attention of first tokens, as in firstTokenAttention of graphs without packing; its values have no bias. */
function firstTokenAttention(packed: Packed, x: Value, first: Value, layer: number): Value {
  const { graph, config, store, exact, places, style } = packed;
  const { hidden, heads } = config;
  const size = hidden / heads;
  const self = `encoder.layer.${layer}.attention.self`;
  const query = { layer: `${self}.query`, scale: 1 / Math.sqrt(size) };
  const half = style.last === 'half' ? store.float : 'float32';
  const cast = (value: Value, from: Float, to: Float) =>
    from === to ? value : graph.op('Cast', [value], { to: ElementType[to] });
  const swapped = (value: Value) => graph.op('Transpose', [value], { perm: [1, 0, 2] });
  const restored = graph.op('RestorePadding', [x, places], {}, MICROSOFT);
  const sequences = cast(restored, store.float, half);
  const asked = graph.op('Gemm', [first, exact.matrix(query), exact.bias(query)]);
  const q = graph.op('Reshape', [asked, graph.integers([-1, heads, size])]);
  const keys = exact.floats(`${self}.key by head`, [heads, size, hidden], () =>
    exact.weights.tensor(`${self}.key.weight`),
  );
  const probes = cast(swapped(graph.op('MatMul', [swapped(q), keys])), 'float32', half);
  const scores = cast(
    graph.op('FusedMatMul', [probes, sequences], { transB: 1 }, MICROSOFT),
    half,
    'float32',
  );
  const shares = graph.op('Softmax', [graph.op('Add', [scores, penalties(packed)])], { axis: -1 });
  const mixed = graph.op('MatMul', [cast(shares, 'float32', half), sequences]);
  const values = exact.floats(`${self}.value by head`, [heads, hidden, size], async () => {
    const parts = new Float32Array(hidden * hidden);
    for (let head = 0; head < heads; head++) {
      const part = { layer: `${self}.value`, outputs: [head * size, (head + 1) * size] as const };
      parts.set(await exact.weights.matrix(part), head * hidden * size);
    }
    return parts;
  });
  const heard = swapped(graph.op('MatMul', [swapped(cast(mixed, half, 'float32')), values]));
  return graph.op('Reshape', [heard, graph.integers([-1, hidden])]);
}

/** What is added to the scores of restored sequences, `[batch, 1, sequence]`. */
function penalties({ graph, starts, places }: Packed): Value {
  const [zero, one, end] = [graph.integers([0]), graph.integers([1]), graph.integers([-1])];
  const lengths = graph.op('Sub', [
    graph.op('Slice', [starts, one, graph.integers([Number.MAX_SAFE_INTEGER])]),
    graph.op('Slice', [starts, zero, end]),
  ]);
  const longest = graph.op('Gather', [graph.op('Shape', [places]), graph.integers([1], [])]);
  const positions = graph.op('Cast', [
    graph.op('Range', [graph.integers([0], []), longest, graph.integers([1], [])]),
  ], { to: ElementType.int32 });
  const real = graph.op('Less', [positions, graph.op('Unsqueeze', [lengths, graph.integers([1, 2])])]);
  return graph.op('Where', [real, graph.scalar(0), graph.scalar(PENALTY)]);
}

/** BERT's pooler and the relevance classifier. */
function classifier({ graph, exact }: Packed, first: Value): Value {
  const dense = (x: Value, layer: string) => graph.op('Gemm', [x, exact.matrix({ layer }), exact.bias({ layer })]);
  return dense(graph.op('Tanh', [dense(first, 'pooler.dense')]), 'classifier');
}
