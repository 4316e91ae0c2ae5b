import { Graph, type Value } from '../../bert/onnx/index.js';
import { lossOutputs, SCORES, weightInputs } from '../../training/network/index.js';

/** The sizes of a network: of word vectors, of the layers, and of the representations that come out. */
export interface SnrmSizes {
  /** Words with vectors. */
  readonly words: number;
  readonly dimensions: number;
  /** Units of the layers in between, the last one narrow. */
  readonly hidden: readonly number[];
  /** Latent terms. */
  readonly latent: number;
}

/** Words of a window. */
export const windowWords = 5;

export const INPUTS = {
  /** `[windows · 5]`: the words of all windows; any number where there is none. */
  words: 'window words',
  /** `[windows · 5, 1]`: 1 for a word, 0 for none. */
  mask: 'window mask',
  /** `[texts, windows]`: the share of each window in the mean of its text. */
  texts: 'texts',
  /** `[texts, windows]`, in training: likewise of relevant and of other documents, beside those of queries. */
  relevant: 'relevant',
  others: 'others',
  /** `[pairs, 1]`: the weight of each pair in the step, and that of the sum of its activations. */
  targets: 'targets',
  penalties: 'penalties',
} as const;

export const wordVectors = 'words.weight';
export const WORD_GRADIENTS = 'gradient of window words';

/** The parameters of a network. */
export function snrmShapes({
  words,
  dimensions,
  hidden,
  latent,
}: SnrmSizes): ReadonlyMap<string, readonly number[]> {
  const widths = [windowWords * dimensions, ...hidden, latent];
  return new Map([
    [wordVectors, [words, dimensions]],
    ...widths.slice(1).flatMap((width, i): [string, readonly number[]][] => [
      [`layer ${i + 1}.weight`, [width, widths[i]]],
      [`layer ${i + 1}.bias`, [width]],
    ]),
  ]);
}

/** The graph of representations, `[texts, latent]`: the mean over a text's windows of what the layers make of each. */
export function representationGraph(sizes: SnrmSizes): Graph {
  const graph = new Graph('SNRM');
  const { activations } = ofWindows(graph, sizes);
  graph.output(pooled(graph, activations, INPUTS.texts), SCORES, 'float32', ['texts', sizes.latent]);
  return graph;
}

/**
 * The graph of the loss, and of its gradients: max(0, 1 − φ(q)·φ(d⁺) + φ(q)·φ(d⁻)) of each pair of documents, and by its own
 * weight the sum of all three representations.
 */
export function trainingGraph(sizes: SnrmSizes): Graph {
  const graph = new Graph('SNRM training');
  const { activations, words, parameters } = ofWindows(graph, sizes);
  const query = pooled(graph, activations, INPUTS.texts);
  const relevant = pooled(graph, activations, INPUTS.relevant);
  const other = pooled(graph, activations, INPUTS.others);
  const ofRows = (x: Value): Value => graph.op('ReduceSum', [x, graph.integers([1])], { keepdims: 1 });
  const difference = graph.op('Sub', [other, relevant]);
  const margins = graph.op('Add', [ofRows(graph.op('Mul', [query, difference])), graph.scalar(1)]);
  const sum = graph.op('Add', [graph.op('Add', [query, relevant]), other]);
  const terms = [
    graph.op('Mul', [graph.op('Relu', [margins]), graph.input(INPUTS.targets, 'float32', ['pairs', 1])]),
    graph.op('Mul', [ofRows(sum), graph.input(INPUTS.penalties, 'float32', ['pairs', 1])]),
  ];
  const loss = graph.op('ReduceSum', [graph.op('Add', terms)], { keepdims: 0 });
  const dense = new Map([...parameters].filter(([name]) => name !== wordVectors));
  const lookedUp = { rows: words, output: WORD_GRADIENTS, width: sizes.dimensions };
  lossOutputs(graph, loss, dense, snrmShapes(sizes), lookedUp);
  return graph;
}

/** The activations of latent terms in every window: word vectors side by side, then layers with ReLU. */
function ofWindows(
  graph: Graph,
  sizes: SnrmSizes,
): { readonly activations: Value; readonly words: Value; readonly parameters: ReadonlyMap<string, Value> } {
  const parameters = weightInputs(graph, snrmShapes(sizes));
  const words = graph.op('Gather', [
    parameters.get(wordVectors)!,
    graph.input(INPUTS.words, 'int32', ['words']),
  ]);
  const present = graph.op('Mul', [words, graph.input(INPUTS.mask, 'float32', ['words', 1])]);
  let activations = graph.op('Reshape', [present, graph.integers([-1, windowWords * sizes.dimensions])]);
  for (let layer = 1; layer <= sizes.hidden.length + 1; layer++) {
    const [weight, bias] = ['weight', 'bias'].map((part) => parameters.get(`layer ${layer}.${part}`)!);
    activations = graph.op('Relu', [graph.op('Gemm', [activations, weight, bias], { transB: 1 })]);
  }
  return { activations, words, parameters };
}

function pooled(graph: Graph, activations: Value, name: string): Value {
  return graph.op('Gemm', [graph.input(name, 'float32', ['texts', 'windows']), activations]);
}

/** FLOPs of the layers for a window. */
export function windowFlops({ dimensions, hidden, latent }: SnrmSizes): number {
  const widths = [windowWords * dimensions, ...hidden, latent];
  return widths.slice(1).reduce((sum, width, i) => sum + 2 * width * widths[i], 0);
}
