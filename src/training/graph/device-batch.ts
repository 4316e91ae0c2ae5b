import type { ModelConfig } from '../../bert/index.js';
import { float, type Graph, MICROSOFT, type Value } from '../../bert/onnx/index.js';
import { type Composite, gradients } from '../autodiff/gradients.js';
import type { Optimiser } from './adam-nodes.js';
import { deviceDropout, type MaskDimension } from './dropout.js';
import { type Builder, widened } from './encoder.js';
import { type LossKind, objective, scores, type Targets } from './loss.js';
import { DECODER } from './names.js';
import { type ParameterGroup, selfAttention, TABLES } from './parameter-groups.js';

/** The columns of the table of micro-batches: where each begins and ends in the arrays, and its longest sequence. */
export const BATCH_COLUMNS = 7;

/** The arrays of a run, with all micro-batches one after the other. */
export interface RunArrays {
  /** int64 `[tokens]`, padding included. */
  readonly ids: Value;
  /** int64 `[sequences]`. */
  readonly lengths: Value;
  readonly splits: Value;
  /** float32 `[rows, columns]`. */
  readonly targets: Value;
  /** int64 `[tokens]`, of the masked loss alone. */
  readonly wanted?: Value | undefined;
  /** int64 `[micro-batches, BATCH_COLUMNS]`: tokens, sequences and rows of targets from and to; longest sequence. */
  readonly batches: Value;
}

export interface DeviceGraphOptions {
  readonly config: ModelConfig;
  readonly loss: LossKind;
  readonly float: 'float32' | 'float16';
  readonly dropout: number;
  readonly seed: number;
  readonly optimiser?: Optimiser | undefined;
  /** The device is CUDA, which has operators that a CPU lacks. */
  readonly cuda?: boolean;
}

/** The bias that padding adds to attention scores; its attention is then exactly 0. In 16 bits it must be finite. */
const MASK_BIAS = { float32: -1e9, float16: -3e4 } as const;

/** Where a micro-batch comes from: the arrays of the run, its number in them, and the weights, of type `float`. */
interface BatchSource {
  readonly arrays: RunArrays;
  readonly number: Value;
  readonly weights: ReadonlyMap<string, Value>;
}

/** A micro-batch of the arrays, as the encoder wants it. */
interface Batch {
  readonly tokens: Value;
  /** The rows of the tables whose sum a token's embedding is, `[3 · tokens]`. */
  readonly rows: Value;
  readonly builder: Builder;
  readonly targets: Targets;
}

/** The gradient of each group, times `scale` and added to `before`, and the loss of one micro-batch. */
export function batchGradients(
  graph: Graph,
  options: DeviceGraphOptions,
  groups: readonly ParameterGroup[],
  source: BatchSource,
  { before, scale }: { readonly before: readonly Value[]; readonly scale: Value },
): { readonly sums: readonly Value[]; readonly loss: Value } {
  const { config, float: type } = options;
  const { weights } = source;
  const batch = takeBatch(graph, options, source);
  const value = objective(batch.builder, batch.tokens, options.loss, batch.targets);
  const parts = groups.filter(({ name }) => name !== TABLES).flatMap((group) => group.parts);
  const names = [...parts.map(({ name }) => name), ...(weights.has(DECODER) ? [DECODER] : [])];
  const leaves = [batch.tokens, ...names.map((name) => weights.get(name)!)];
  const { composites } = batch.builder;
  const [ofTokens, ...ofWeights] = gradients(graph, value, leaves, { float: type, seed: scale, composites });
  const byName = new Map(names.map((name, i) => [name, ofWeights[i]]));
  const sums = groups.map(({ name, parts: own, columns }, i) => {
    if (name === TABLES) {
      const wide = widened(graph, ofTokens, type);
      const updates = graph.op('Concat', [wide, wide, wide], { axis: 0 });
      const column = graph.op('Unsqueeze', [batch.rows, graph.integers([1])]);
      // An element at a time: by rows (ScatterND), CUDA adds a whole row in one thread.
      const rows = graph.op('Expand', [column, graph.op('Shape', [updates])]);
      const sum = graph.op('ScatterElements', [before[i], rows, updates], { axis: 0, reduction: 'add' });
      if (!weights.has(DECODER)) return sum;
      const ofDecoder = widened(graph, byName.get(DECODER)!, type);
      const others = graph.integers([0, 0, config.maxPositions + config.typeVocabulary, 0]);
      return graph.op('Add', [sum, graph.op('Pad', [ofDecoder, others], { mode: 'constant' })]);
    }
    const flat = own.map((part) =>
      graph.op('Reshape', [byName.get(part.name)!, graph.integers([-1, columns])]),
    );
    return graph.op('Add', [before[i], widened(graph, graph.op('Concat', flat, { axis: 0 }), type)]);
  });
  return { sums, loss: value };
}

/** What validation asks of one micro-batch, see loss.ts. */
export function batchScores(graph: Graph, options: DeviceGraphOptions, source: BatchSource): Value {
  const { builder, tokens, targets } = takeBatch(graph, options, source);
  return scores(builder, tokens, options.loss, targets);
}

function takeBatch(
  graph: Graph,
  { config, float: type, dropout: rate, seed, cuda = false }: DeviceGraphOptions,
  { arrays, number, weights }: BatchSource,
): Batch {
  const { vocabulary, maxPositions, hidden } = config;
  const row = graph.op('Gather', [arrays.batches, number]);
  const columns = Array.from({ length: BATCH_COLUMNS }, (_, i) =>
    graph.op('Gather', [row, graph.integers([i])]),
  );
  const [tokensFrom, tokensTo, from, to, targetsFrom, targetsTo, longest] = columns;
  const part = (array: Value, first: Value, end: Value) => graph.op('Slice', [array, first, end]);
  const shape = graph.op('Concat', [graph.integers([-1]), longest], { axis: 0 });
  const ids = graph.op('Reshape', [part(arrays.ids, tokensFrom, tokensTo), shape]);
  const column = (array: Value) => graph.op('Unsqueeze', [part(array, from, to), graph.integers([1])]);
  const length = graph.op('Squeeze', [longest]);
  const places = graph.op('Range', [graph.integers([0], []), length, graph.integers([1], [])]);
  const isToken = graph.op('Less', [places, column(arrays.lengths)]);
  const bias = graph.op('Where', [isToken, graph.scalar(0, type), graph.scalar(MASK_BIAS[type], type)]);
  const padding = graph.op('Unsqueeze', [bias, graph.integers([1, 2])]);

  const positions = graph.op('Add', [places, graph.integers([vocabulary], [])]);
  const segments = graph.op('Where', [
    graph.op('Less', [places, column(arrays.splits)]),
    graph.integers([vocabulary + maxPositions], []),
    graph.integers([vocabulary + maxPositions + Math.min(1, config.typeVocabulary - 1)], []),
  ]);
  const everywhere = graph.op('Expand', [positions, graph.op('Shape', [ids])]);
  const flat = [ids, everywhere, segments].map((each) => graph.op('Reshape', [each, graph.integers([-1])]));
  const [words, ...others] = flat.map((each) => graph.op('Gather', [weights.get(TABLES)!, each]));
  const tokens = graph.op('Add', [words, graph.op('Add', [others[0], others[1]])]);
  const batch = graph.op('Sub', [to, from]);
  const dropout = deviceDropout(graph, rate, seed);
  const composites = new Map<Value, Composite>();
  const weight = (name: string) => weights.get(name)!;
  const partial = { graph, config, weight, dropout, padding, batch, float: type, composites };
  return {
    tokens: graph.op('Reshape', [tokens, graph.integers([-1, hidden])]),
    rows: graph.op('Concat', flat, { axis: 0 }),
    builder: { ...partial, ...fusedAttention(partial, cuda) },
    targets: {
      targets: part(arrays.targets, targetsFrom, targetsTo),
      wanted: arrays.wanted && part(arrays.wanted, tokensFrom, tokensTo),
    },
  };
}

/**
 * Attention whose gradient takes three passes over the scores. With shares p, dropped ones d and the result y = d·v,
 * the gradient of the scores is d∘(g·vᵀ) − p∘Σ(g∘y): the sum goes over the units of a head. Where all tokens ask, one
 * product gives queries, keys and values.
 */
function fusedAttention(
  { graph, config, weight, dropout, padding, batch, composites }: Omit<Builder, 'attend'>,
  cuda: boolean,
): Required<Pick<Builder, 'attend' | 'attendToItself'>> {
  const { heads, hidden } = config;
  const scale = { alpha: float(1 / Math.sqrt(hidden / heads)) };
  const product = (a: Value, b: Value, attributes: object) =>
    graph.op('FusedMatMul', [a, b], { ...attributes }, MICROSOFT);
  // The mask of a sequence is that of all its heads and queries.
  const softmax = (scores: Value) =>
    cuda
      ? graph.op('BiasSoftmax', [scores, padding], { axis: 3, is_inner_broadcast: 1 }, MICROSOFT)
      : graph.op('Softmax', [graph.op('Add', [scores, padding])], { axis: 3 });
  const attended = ([probes, keys, values]: readonly Value[], dims: readonly MaskDimension[]) => {
    const shares = softmax(product(probes, keys, { transB: 1, ...scale }));
    const dropped = dropout(shares, dims);
    const result = graph.op('MatMul', [dropped, values]);
    const rule = (gradient: Value): Value[] => {
      const along = graph.op('ReduceSum', [graph.op('Mul', [gradient, result]), graph.integers([-1])]);
      const ofScores = graph.op('Sub', [
        graph.op('Mul', [dropped, product(gradient, values, { transB: 1 })]),
        graph.op('Mul', [shares, along]),
      ]);
      return [
        product(ofScores, keys, scale),
        product(ofScores, probes, { transA: 1, ...scale }),
        product(dropped, gradient, { transA: 1 }),
      ];
    };
    return { result, rule };
  };
  return {
    attend(q, k, v, dims) {
      const inputs = [q, k, v].map((x) => graph.op('Transpose', [x], { perm: [0, 2, 1, 3] }));
      const { result, rule } = attended(inputs, dims);
      composites.set(result, { inputs, rule });
      return result;
    },
    attendToItself(x, layer) {
      const name = selfAttention(layer);
      const all = graph.op('Gemm', [x, weight(`${name}.weight`), weight(`${name}.bias`)], { transB: 1 });
      const size = hidden / heads;
      const shape = graph.op('Concat', [batch, graph.integers([-1, 3 * heads, size])], { axis: 0 });
      const swapped = { perm: [0, 2, 1, 3] };
      const byHead = graph.op('Transpose', [graph.op('Reshape', [all, shape])], swapped);
      const three = graph.ops('Split', [byHead], 3, { axis: 1, num_outputs: 3 });
      const { result, rule } = attended(three, ['batch', heads, 'sequence', 'sequence']);
      composites.set(result, {
        inputs: [byHead],
        rule: (gradient) => [graph.op('Concat', rule(gradient), { axis: 1 })],
      });
      return graph.op('Reshape', [graph.op('Transpose', [result], swapped), graph.integers([-1, hidden])]);
    },
  };
}
