import { bertTensorShapes } from '../../bert/checkpoint/index.js';
import type { ModelConfig } from '../../bert/index.js';
import { Graph, type Value } from '../../bert/onnx/index.js';
import { gradients } from '../autodiff/index.js';
import { type DropoutMask, MaskedDropout, noDropout } from './dropout.js';
import { encoder } from './encoder.js';
import { loss, type LossKind } from './loss.js';
import { gradientOf, isTable, LOGITS, LOSS, TARGETS, TOKEN_GRADIENTS } from './names.js';

export interface TrainingGraph {
  readonly graph: Graph;
  /** Inputs to fill at every run; none without dropout. */
  readonly masks: readonly DropoutMask[];
}

/**
 * Loss and gradients of one batch. Gradients of the three embedding tables are left as one row per token: adding the
 * rows up outside costs less than any operator that scatters.
 */
export function trainingGraph(
  config: ModelConfig,
  kind: LossKind,
  options: { readonly dropout: boolean },
): TrainingGraph {
  const graph = new Graph('bert-qe training');
  const weights = weightInputs(graph, config);
  const masked = new MaskedDropout(graph, config);
  const dropout = options.dropout ? masked : noDropout;
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
 * The forward pass alone, with the same inputs: how weights that still change score, for validation and, with the
 * masks of a step, for losses that are computed outside.
 */
export function scoringGraph(config: ModelConfig, options: { readonly dropout: boolean }): Graph {
  const graph = new Graph('bert-qe scoring');
  const weights = weightInputs(graph, config);
  const dropout = options.dropout ? new MaskedDropout(graph, config) : noDropout;
  const { logits } = encoder(graph, config, (name) => weights.get(name)!, dropout);
  graph.output(logits, LOGITS, 'float32', ['batch', config.labels]);
  return graph;
}

function weightInputs(graph: Graph, config: ModelConfig): ReadonlyMap<string, Value> {
  return new Map(
    [...bertTensorShapes(config)].map(([name, shape]) => [name, graph.input(name, 'float32', shape)]),
  );
}
