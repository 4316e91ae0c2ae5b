import { bertTensorShapes } from '../../bert/checkpoint/index.js';
import type { ModelConfig } from '../../bert/index.js';
import { Graph, type Value } from '../../bert/onnx/index.js';
import {
  type Dropout,
  encoderStates,
  isTable,
  lossOutputs,
  type DropoutMask,
  maskedDropout,
  noDropout,
  SCORES,
  TOKEN_GRADIENTS,
  weightInputs,
} from '../../training/network/index.js';

/** Inputs of the graphs besides those of the encoder. */
export const INPUTS = {
  /** The tokens of each pair's query: their places among the tokens of all sequences, `[pairs, 1, query]`. */
  queryTokens: 'query tokens',
  /** Likewise of each pair's document, from all of its pieces, `[pairs, 1, document]`. */
  documentTokens: 'document tokens',
  /** 1 for a token, 0 for padding: `[pairs, 1, query, 1]` and `[pairs, 1, 1, document]`. */
  queryMask: 'query mask',
  documentMask: 'document mask',
  /** The place of [CLS] in each sequence. */
  firstTokens: 'first tokens',
  /** `[pairs, sequences]`: the share of each sequence in the mean of its document's pieces. */
  pieces: 'pieces',
  /** `[pairs / 2, 2]`: the weight of the pair in the step, then 0. */
  targets: 'targets',
} as const;

/** The kernels: their means, of cosines, and their deviations. The last one counts exact matches. */
export const kernels: readonly { readonly mean: number; readonly deviation: number }[] = [
  ...[-0.9, -0.7, -0.5, -0.3, -0.1, 0.1, 0.3, 0.5, 0.7, 0.9].map((mean) => ({ mean, deviation: 0.1 })),
  { mean: 1, deviation: 0.001 },
];

/** The tensors of the model: BERT's encoder without head, and the linear layer over kernels and [CLS]. */
export function cedrShapes(config: ModelConfig): ReadonlyMap<string, readonly number[]> {
  const features = kernels.length * (config.layers + 1) + config.hidden;
  return new Map([
    ...bertTensorShapes(config, 'none'),
    ['combine.weight', [1, features]],
    ['combine.bias', [1]],
  ]);
}

export function scoringGraph(config: ModelConfig): Graph {
  const graph = new Graph('CEDR-KNRM scoring');
  const weights = weightInputs(graph, cedrShapes(config));
  const { scores } = cedrScores(graph, config, weights, noDropout);
  graph.output(scores, SCORES, 'float32', ['pairs', 1]);
  return graph;
}

/** The graph of the pairwise softmax loss, 1 − softmax(scores)₀ of each pair of documents, and of its gradients. */
export function trainingGraph(
  config: ModelConfig,
  options: { readonly dropout: boolean },
): { readonly graph: Graph; readonly masks: readonly DropoutMask[] } {
  const graph = new Graph('CEDR-KNRM training');
  const shapes = cedrShapes(config);
  const weights = weightInputs(graph, shapes);
  const { dropout, masks } = maskedDropout(graph, options.dropout);
  const { scores, tokens } = cedrScores(graph, config, weights, dropout);
  const targets = graph.input(INPUTS.targets, 'float32', ['rows', 2]);
  const shares = graph.op('Softmax', [graph.op('Reshape', [scores, graph.integers([-1, 2])])], { axis: -1 });
  const sum = (x: Value): Value => graph.op('ReduceSum', [x], { keepdims: 0 });
  const loss = graph.op('Sub', [sum(targets), sum(graph.op('Mul', [shares, targets]))]);
  const dense = new Map([...weights].filter(([name]) => !isTable(name)));
  const lookedUp = { rows: tokens, output: TOKEN_GRADIENTS, width: config.hidden };
  lossOutputs(graph, loss, dense, shapes, lookedUp);
  return { graph, masks };
}

/**
 * The scores `[pairs, 1]`. Each layer gives a matrix of cosines between the tokens of query and document. A kernel's
 * feature of a layer is Σ over query tokens of ln(10⁻⁶ + Σ over document tokens of exp(−(cos − mean)²/2deviation²)).
 * The features and the mean [CLS] of the document's pieces go through a linear layer.
 */
function cedrScores(
  graph: Graph,
  config: ModelConfig,
  weights: ReadonlyMap<string, Value>,
  dropout: Dropout,
): { readonly scores: Value; readonly tokens: Value } {
  const { states, tokens } = encoderStates(graph, config, (name) => weights.get(name)!, dropout);
  const queryTokens = graph.input(INPUTS.queryTokens, 'int32', ['pairs', 1, 'query']);
  const documentTokens = graph.input(INPUTS.documentTokens, 'int32', ['pairs', 1, 'document']);
  const queryMask = graph.input(INPUTS.queryMask, 'float32', ['pairs', 1, 'query', 1]);
  const documentMask = graph.input(INPUTS.documentMask, 'float32', ['pairs', 1, 1, 'document']);
  const cosines = states.map((state) => {
    const directions = graph.op('LpNormalization', [state], { axis: -1, p: 2 });
    const ofQuery = graph.op('Gather', [directions, queryTokens]);
    const ofDocument = graph.op('Gather', [directions, documentTokens]);
    return graph.op('MatMul', [ofQuery, graph.op('Transpose', [ofDocument], { perm: [0, 1, 3, 2] })]);
  });
  // [pairs, layers + 1, query, document]
  const layers = graph.op('Concat', cosines, { axis: 1 });
  const sumOver = (x: Value, axis: number): Value =>
    graph.op('ReduceSum', [x, graph.integers([axis])], { keepdims: 1 });
  const features = kernels.map(({ mean, deviation }) => {
    const distance = graph.op('Sub', [layers, graph.scalar(mean)]);
    const square = graph.op('Mul', [distance, distance]);
    const closeness = graph.op('Exp', [graph.op('Mul', [square, graph.scalar(-0.5 / deviation ** 2)])]);
    const ofQueryTokens = sumOver(graph.op('Mul', [closeness, documentMask]), 3);
    const logarithms = graph.op('Log', [graph.op('Add', [ofQueryTokens, graph.scalar(1e-6)])]);
    const feature = sumOver(graph.op('Mul', [logarithms, queryMask]), 2);
    return graph.op('Reshape', [feature, graph.integers([-1, states.length])]);
  });
  const firstTokens = graph.op('Gather', [
    states.at(-1)!,
    graph.input(INPUTS.firstTokens, 'int32', ['sequences']),
  ]);
  const pieces = graph.input(INPUTS.pieces, 'float32', ['pairs', 'sequences']);
  const ofPairs = graph.op('Gemm', [pieces, firstTokens]);
  const joined = graph.op('Concat', [...features, ofPairs], { axis: 1 });
  const layer = [weights.get('combine.weight')!, weights.get('combine.bias')!] as const;
  return { scores: graph.op('Gemm', [joined, ...layer], { transB: 1 }), tokens };
}
