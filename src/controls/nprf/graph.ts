import { Graph, type Value } from '../../bert/onnx/index.js';
import { type FeedBatch, lossOutputs, SCORES, weightInputs } from '../../training/network/index.js';
import { type NprfFeatures, nprfSizes } from './features.js';

const INPUTS = {
  histograms: 'histograms',
  idf: 'idf',
  missing: 'missing',
  gates: 'gates',
  /** `[pairs, 1]`: the weight of each pair in the step. */
  targets: 'targets',
} as const;

const hidden = 5;

/** The parameters of the network. */
export const nprfShapes: ReadonlyMap<string, readonly number[]> = new Map([
  ['hidden.weight', [hidden, nprfSizes.bins]],
  ['hidden.bias', [hidden]],
  ['output.weight', [1, hidden]],
  ['output.bias', [1]],
  ['term gate.weight', [1, 1]],
  ['document gate.weight', [1, 1]],
]);

export function scoringGraph(): Graph {
  const graph = new Graph('NPRF-DRMM scoring');
  graph.output(nprfScores(graph, weightInputs(graph, nprfShapes)), SCORES, 'float32', ['documents', 1]);
  return graph;
}

/** The graph of the hinge loss, max(0, 1 − s(relevant) + s(other)) of each pair of documents, and of its gradients. */
export function trainingGraph(): Graph {
  const graph = new Graph('NPRF-DRMM training');
  const parameters = weightInputs(graph, nprfShapes);
  const scores = graph.op('Reshape', [nprfScores(graph, parameters), graph.integers([-1, 2])]);
  const otherLessRelevant = graph.initializer('other less relevant', 'float32', [2, 1], () =>
    Float32Array.of(-1, 1),
  );
  const margins = graph.op('Add', [graph.op('Gemm', [scores, otherLessRelevant]), graph.scalar(1)]);
  const targets = graph.input(INPUTS.targets, 'float32', ['pairs', 1]);
  const loss = graph.op('ReduceSum', [graph.op('Mul', [graph.op('Relu', [margins]), targets])], {
    keepdims: 0,
  });
  lossOutputs(graph, loss, parameters, nprfShapes);
  return graph;
}

/**
 * The scores `[documents, 1]`. A network of five hidden units reads each term's histogram; the terms of a feedback document
 * are weighted by a softmax over w·idf, and feedback documents by w′·gate: NPRF(ds), the sum without another layer.
 */
function nprfScores(graph: Graph, parameters: ReadonlyMap<string, Value>): Value {
  const { documents, terms, bins } = nprfSizes;
  const weight = (name: string): Value => parameters.get(name)!;
  const shaped = (x: Value, ...dims: number[]): Value =>
    graph.op('Reshape', [x, graph.integers([-1, ...dims])]);
  const linear = (x: Value, name: string, bias: readonly Value[] = [weight(`${name}.bias`)]): Value =>
    graph.op('Gemm', [x, weight(`${name}.weight`), ...bias], { transB: 1 });
  const histograms = graph.input(INPUTS.histograms, 'float32', ['terms', bins]);
  const matches = shaped(linear(graph.op('Tanh', [linear(histograms, 'hidden')]), 'output'), terms);
  const idf = shaped(linear(graph.input(INPUTS.idf, 'float32', ['terms', 1]), 'term gate', []), terms);
  const missing = graph.input(INPUTS.missing, 'float32', ['feedback documents', terms]);
  const shares = graph.op('Softmax', [graph.op('Add', [idf, missing])], { axis: -1 });
  const sum = (x: Value): Value => graph.op('ReduceSum', [x, graph.integers([1])], { keepdims: 1 });
  const ofFeedback = shaped(sum(graph.op('Mul', [matches, shares])), documents);
  const gates = graph.input(INPUTS.gates, 'float32', ['feedback documents', 1]);
  const weights = shaped(linear(gates, 'document gate', []), documents);
  return sum(graph.op('Mul', [ofFeedback, weights]));
}

/** The batch of some documents. */
export function nprfBatch(
  { histograms, idf, missing, gates }: NprfFeatures,
  targets?: Float32Array<ArrayBuffer>,
): FeedBatch {
  const { terms, bins } = nprfSizes;
  return {
    feeds: {
      [INPUTS.histograms]: { dims: [idf.length, bins], data: histograms },
      [INPUTS.idf]: { dims: [idf.length, 1], data: idf },
      [INPUTS.missing]: { dims: [gates.length, terms], data: missing },
      [INPUTS.gates]: { dims: [gates.length, 1], data: gates },
      ...(targets && { [INPUTS.targets]: { dims: [targets.length, 1], data: targets } }),
    },
  };
}
