import { bertTensorShapes } from '../../bert/checkpoint/index.js';
import type { ModelConfig } from '../../bert/index.js';
import { Graph, type Value } from '../../bert/onnx/index.js';
import { type DropoutMask, maskedDropout } from './dropout.js';
import { embeddings } from './encoder.js';
import {
  headOf,
  judgesItself,
  type LossKind,
  objective,
  scoreColumns,
  scores,
  type Targets,
} from './loss.js';
import { DECODER, isTable, SCORES, TARGETS, TOKEN_GRADIENTS, WANTED, WORDS } from './names.js';
import { lossOutputs, weightInputs } from './weights.js';

/**
 * The graph of a batch's loss and gradients. The gradient of the embedding tables is given as a row per token: summing
 * the rows outside of the graph is faster than the operators that scatter. Word embeddings that are output weights too
 * have a gradient of that use besides. The masks are inputs of every run; there are none without dropout.
 */
export function trainingGraph(
  config: ModelConfig,
  kind: LossKind,
  options: { readonly dropout: boolean },
): { readonly graph: Graph; readonly masks: readonly DropoutMask[] } {
  const graph = new Graph('bert-qe training');
  const weights = weightsOf(graph, config, kind);
  const { dropout, masks } = maskedDropout(graph, options.dropout);
  const { builder, tokens } = embeddings(graph, config, (name) => weights.get(name)!, dropout);
  const value = objective(builder, tokens, kind, targetInputs(graph, kind));
  const leaves = new Map(
    [...weights]
      .filter(([name]) => !isTable(name))
      .map(([name, leaf]) => [name === DECODER ? WORDS : name, leaf]),
  );
  const lookedUp = { rows: tokens, output: TOKEN_GRADIENTS, width: config.hidden };
  lossOutputs(graph, value, leaves, bertTensorShapes(config, headOf(kind)), lookedUp, builder);
  return { graph, masks };
}

/**
 * The graph of the forward pass, with the same inputs. It serves validation and, with the masks of a step, losses that
 * are computed outside of the graph.
 */
export function scoringGraph(
  config: ModelConfig,
  kind: LossKind,
  options: { readonly dropout: boolean },
): Graph {
  const graph = new Graph('bert-qe scoring');
  const weights = weightsOf(graph, config, kind);
  const { dropout } = maskedDropout(graph, options.dropout);
  const { builder, tokens } = embeddings(graph, config, (name) => weights.get(name)!, dropout);
  // Logits do not depend on targets.
  const targets = judgesItself(kind) ? targetInputs(graph, kind) : { targets: '' as Value };
  const found = scores(builder, tokens, kind, targets);
  graph.output(found, SCORES, 'float32', ['rows', scoreColumns(kind, config.labels)]);
  return graph;
}

function targetInputs(graph: Graph, kind: LossKind): Targets {
  const targets = graph.input(TARGETS, 'float32', ['rows', 'columns']);
  return kind === 'masked' ? { targets, wanted: graph.input(WANTED, 'int32', ['tokens']) } : { targets };
}

function weightsOf(graph: Graph, config: ModelConfig, kind: LossKind): ReadonlyMap<string, Value> {
  const weights = weightInputs(graph, bertTensorShapes(config, headOf(kind)));
  // A value of its own, so that its gradient is told from that of the tokens.
  if (kind === 'masked') weights.set(DECODER, graph.op('Identity', [weights.get(WORDS)!]));
  return weights;
}
