import type { BertWeights } from '../checkpoint/index.js';
import type { ModelConfig } from '../config.js';
import { ElementType, float, Graph, MICROSOFT, type Value } from '../onnx/graph.js';
import { MASK_BIAS, paddingSlot, placeTable } from './embeddings.js';
import { timesVector } from '../matrices.js';
import { GRAPH_IDS, GRAPH_LOGITS, GRAPH_PLACES, GRAPH_SLOTS, GRAPH_STARTS } from './names.js';
import { type PackedProducts, plainProducts, roundedProducts, splitProducts } from './split-products.js';
import { type Float, Store } from './store.js';
import { WeightReader } from './weight-reader.js';

/** The context in which the parts of a packed graph are built. */
interface PackedContext {
  readonly graph: Graph;
  readonly config: ModelConfig;
  readonly store: Store;
  readonly products: PackedProducts;
  /** The first token of each sequence and the end of the last, `[batch + 1]`. */
  readonly starts: Value;
  /** The place of each token in padded sequences, then those of padding, `[batch, sequence]`. */
  readonly places: Value;
}

export type PackedPrecision = 'fp16' | 'tf32' | 'fp32';

/**
 * The forward pass of a BERT cross-encoder, from token ids to logits, for CUDA. Sequences of any lengths follow each
 * other without padding: `input_ids` and `slots` are `[tokens]`. Sums of products are of 32 bits. The last layer, which
 * is computed for one token per sequence, is float32 and exact, though the device rounds factors of products to TF32. In
 * fp32 so are all layers.
 */
export function packedGraph(source: BertWeights, precision: PackedPrecision): Graph {
  const type = precision === 'fp16' ? 'float16' : 'float32';
  const { config } = source;
  const graph = new Graph('bert-qe packed cross-encoder');
  const ids = graph.input(GRAPH_IDS, 'int32', ['tokens']);
  const slots = graph.input(GRAPH_SLOTS, 'int32', ['tokens']);
  const starts = graph.input(GRAPH_STARTS, 'int32', ['starts']);
  const places = graph.input(GRAPH_PLACES, 'int32', ['batch', 'sequence']);
  const reader = new WeightReader(source);
  const split = splitProducts(graph);
  const products = { fp16: plainProducts, tf32: roundedProducts, fp32: split }[precision];
  const store = new Store(graph, reader, type);
  const body: PackedContext = { graph, config, store, products, starts, places };
  const head: PackedContext = { ...body, store: new Store(graph, reader, 'float32'), products: split };
  const last = config.layers - 1;
  let x = embeddings(body, ids, slots);
  for (let layer = 0; layer < last; layer++) x = encoderLayer(body, x, layer);
  const logits = classifier(head, firstTokenLayer(body, head, x, last));
  graph.output(logits, GRAPH_LOGITS, 'float32', ['batch', config.labels]);
  return graph;
}

function embeddings(context: PackedContext, ids: Value, slots: Value): Value {
  const { graph, config, store } = context;
  const { hidden, vocabulary } = config;
  const rows = paddingSlot(config);
  const words = store.floats('embeddings words', [vocabulary, hidden], () =>
    store.weights.tensor('embeddings.word_embeddings.weight'),
  );
  const places = store.floats('embeddings slots', [rows, hidden], () =>
    placeTable(store.weights, config, rows),
  );
  const [word, place] = [graph.op('Gather', [words, ids]), graph.op('Gather', [places, slots])];
  return sumNorm(context, word, place, 'embeddings.LayerNorm');
}

function encoderLayer(context: PackedContext, x: Value, layer: number): Value {
  const { graph, config, store, products, places, starts } = context;
  const name = `encoder.layer.${layer}`;
  const query = { layer: `${name}.attention.self.query` };
  const project = (part: string) => products.times(store, x, { layer: `${name}.attention.self.${part}` });
  // The softmax cancels a bias of keys; that of values is part of the output's.
  const q = products.timesPlusBias(store, x, query);
  const inputs = [q, project('key'), project('value'), '', places, starts] as const;
  const mixed = graph.op('PackedMultiHeadAttention', inputs, { num_heads: config.heads }, MICROSOFT);
  return restOfLayer(context, mixed, x, name);
}

/** The rest of an encoder layer, after attention. */
function restOfLayer(context: PackedContext, mixed: Value, x: Value, name: string): Value {
  const { store, products } = context;
  const output = { layer: `${name}.attention.output.dense` };
  const wide = { layer: `${name}.intermediate.dense` };
  const narrow = { layer: `${name}.output.dense` };
  const attended = products.times(store, mixed, output);
  const norm = `${name}.attention.output.LayerNorm`;
  const middle = sumNorm(context, attended, x, norm, outputBias(store, name));
  const units = activation(context, products.times(store, middle, wide), store.bias(wide));
  const sum = products.times(store, units, narrow);
  return sumNorm(context, sum, middle, `${name}.output.LayerNorm`, store.bias(narrow));
}

/** LayerNorm of x + residual + bias. */
function sumNorm(
  { graph, config, store }: PackedContext,
  x: Value,
  residual: Value,
  name: string,
  bias?: Value,
): Value {
  const { hidden, layerNormEps } = config;
  const gain = store.floats(`${name} gain`, [hidden], () => store.weights.tensor(`${name}.weight`));
  const offset = store.floats(`${name} offset`, [hidden], () => store.weights.tensor(`${name}.bias`));
  const inputs = [x, residual, gain, offset, ...(bias === undefined ? [] : [bias])];
  return graph.op('SkipLayerNormalization', inputs, { epsilon: float(layerNormEps) }, MICROSOFT);
}

/** activation(x + bias). */
function activation({ graph, config }: PackedContext, x: Value, bias: Value): Value {
  if (config.activation === 'relu') return graph.op('Relu', [graph.op('Add', [x, bias])]);
  return graph.op(config.activation === 'gelu' ? 'BiasGelu' : 'FastGelu', [x, bias], {}, MICROSOFT);
}

/** The bias of attention's output and, multiplied by its weights, that of values: shares of tokens add up to 1. */
function outputBias(store: Store, name: string): Value {
  const output = `${name}.attention.output.dense`;
  const { outputs } = store.weights.shape({ layer: output });
  return store.floats(`${output} bias with values`, [outputs], async () => {
    const own = await store.weights.tensor(`${output}.bias`);
    const values = await store.weights.tensor(`${name}.attention.self.value.bias`);
    const moved = timesVector(await store.weights.tensor(`${output}.weight`), values);
    return own.map((value, i) => value + moved[i]);
  });
}

/** The last encoder layer for the first token of each sequence: float32 `[batch, hidden]`. */
function firstTokenLayer(body: PackedContext, head: PackedContext, x: Value, layer: number): Value {
  const { graph, starts } = body;
  const firsts = graph.op('Slice', [starts, graph.integers([0]), graph.integers([-1])]);
  const first = cast(graph, graph.op('Gather', [x, firsts]), body.store.float, 'float32');
  const name = `encoder.layer.${layer}`;
  return restOfLayer(head, firstTokenAttention(body, head, x, first, name), first, name);
}

/** Attention of first tokens as in attention.ts, on padded sequences, but without the bias of values. */
function firstTokenAttention(
  body: PackedContext,
  head: PackedContext,
  x: Value,
  first: Value,
  name: string,
): Value {
  const { graph, config, places } = body;
  const { hidden, heads } = config;
  const { weights, float: type } = body.store;
  const size = hidden / heads;
  const self = `${name}.attention.self`;
  const query = { layer: `${self}.query`, scale: 1 / Math.sqrt(size) };
  const swapped = (value: Value) => graph.op('Transpose', [value], { perm: [1, 0, 2] });
  const sequences = graph.op('RestorePadding', [x, places], {}, MICROSOFT);
  const asked = head.products.timesPlusBias(head.store, first, query);
  const q = graph.op('Reshape', [asked, graph.integers([-1, heads, size])]);
  const keys = head.store.floats(`${self}.key by head`, [heads, size, hidden], () =>
    weights.tensor(`${self}.key.weight`),
  );
  const probes = cast(graph, swapped(head.products.product(graph, swapped(q), keys)), 'float32', type);
  const scores = body.products.product(graph, probes, sequences, 1);
  const masked = graph.op('Add', [cast(graph, scores, type, 'float32'), attentionMask(body)]);
  const shares = cast(graph, graph.op('Softmax', [masked], { axis: -1 }), 'float32', type);
  const mixed = cast(graph, body.products.product(graph, shares, sequences), type, 'float32');
  const values = head.store.floats(`${self}.value by head`, [heads, hidden, size], () =>
    weights.matrixByHead(`${self}.value`, heads),
  );
  const attended = swapped(head.products.product(graph, swapped(mixed), values));
  return graph.op('Reshape', [attended, graph.integers([-1, hidden])]);
}

/** The mask that is added to the scores of padded sequences, `[batch, 1, sequence]`. */
function attentionMask({ graph, starts, places }: PackedContext): Value {
  const [first, second, last] = [graph.integers([0]), graph.integers([1]), graph.integers([-1])];
  const ends = graph.op('Slice', [starts, second, graph.integers([2 ** 31 - 1])]);
  const lengths = graph.op('Sub', [ends, graph.op('Slice', [starts, first, last])]);
  const longest = graph.op('Gather', [graph.op('Shape', [places]), graph.integers([1], [])]);
  const range = graph.op('Range', [graph.integers([0], []), longest, graph.integers([1], [])]);
  const positions = graph.op('Cast', [range], { to: ElementType.int32 });
  const isToken = graph.op('Less', [positions, graph.op('Unsqueeze', [lengths, graph.integers([1, 2])])]);
  return graph.op('Where', [isToken, graph.scalar(0), graph.scalar(MASK_BIAS)]);
}

/** BERT's pooler (dense + tanh) and the relevance classifier on top of it. */
function classifier({ graph, store, products }: PackedContext, first: Value): Value {
  const dense = (x: Value, layer: string) => products.timesPlusBias(store, x, { layer });
  return dense(graph.op('Tanh', [dense(first, 'pooler.dense')]), 'classifier');
}

function cast(graph: Graph, value: Value, from: Float, to: Float): Value {
  return from === to ? value : graph.op('Cast', [value], { to: ElementType[to] });
}
