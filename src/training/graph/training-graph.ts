import { bertTensorShapes } from '../../bert/checkpoint/index.js';
import type { ModelConfig } from '../../bert/index.js';
import { Graph, type Value } from '../../bert/onnx/index.js';
import { gradients } from '../autodiff/gradients.js';
import { type DropoutMask, maskedDropout, noDropout } from './dropout.js';
import { encoder } from './encoder.js';
import { loss, type LossKind } from './loss.js';
import { gradientOf, isTable, LOGITS, LOSS, TARGETS, TOKEN_GRADIENTS } from './names.js';

/**
 * The graph of a batch's loss and gradients. The gradient of the embedding tables is given as a row per token: summing
 * the rows outside of the graph is faster than the operators that scatter. The masks are inputs of every run; there are
 * none without dropout.
 */
export function trainingGraph(
  config: ModelConfig,
  kind: LossKind,
  options: { readonly dropout: boolean },
): { readonly graph: Graph; readonly masks: readonly DropoutMask[] } {
  const graph = new Graph('bert-qe training');
  const weights = weightInputs(graph, config);
  const masked = maskedDropout(graph);
  const dropout = options.dropout ? masked.dropout : noDropout;
  const { logits, tokens } = encoder(graph, config, (name) => weights.get(name)!, dropout);
  const targets = graph.input(TARGETS, 'float32', ['rows', 'columns']);
  const value = loss(graph, logits, config.labels, kind, targets);
  const dense = [...weights.keys()].filter((name) => !isTable(name));
  const [ofTokens, ...ofWeights] = gradients(graph, value, [
    tokens,
    ...dense.map((name) => weights.get(name)!),
  ]);
  graph.output(value, LOSS, 'float32', []);
  graph.output(ofTokens, TOKEN_GRADIENTS, 'float32', ['tokens', config.hidden]);
  const shapes = bertTensorShapes(config);
  ofWeights.forEach((gradient, i) =>
    graph.output(gradient, gradientOf(dense[i]), 'float32', shapes.get(dense[i])!),
  );
  return { graph, masks: masked.masks };
}

/**
 * The graph of the forward pass, with the same inputs. It serves validation and, with the masks of a step, losses that
 * are computed outside of the graph.
 */
export function scoringGraph(config: ModelConfig, options: { readonly dropout: boolean }): Graph {
  const graph = new Graph('bert-qe scoring');
  const weights = weightInputs(graph, config);
  const dropout = options.dropout ? maskedDropout(graph).dropout : noDropout;
  const { logits } = encoder(graph, config, (name) => weights.get(name)!, dropout);
  graph.output(logits, LOGITS, 'float32', ['batch', config.labels]);
  return graph;
}

function weightInputs(graph: Graph, config: ModelConfig): ReadonlyMap<string, Value> {
  return new Map(
    [...bertTensorShapes(config)].map(([name, shape]) => [name, graph.input(name, 'float32', shape)]),
  );
}
