import { bertTensorShapes } from '../../bert/checkpoint/index.js';
import type { ModelConfig } from '../../bert/index.js';
import { Graph, type Value } from '../../bert/onnx/index.js';
import { gradients } from '../autodiff/gradients.js';
import { type DropoutMask, maskedDropout, noDropout } from './dropout.js';
import { embeddings } from './encoder.js';
import { headOf, judgesItself, type LossKind } from './loss.js';
import {
  DECODER,
  gradientOf,
  isTable,
  LOGITS,
  LOSS,
  TARGETS,
  TOKEN_GRADIENTS,
  WANTED,
  WORDS,
} from './names.js';
import { objective, scoreColumns, scores, type Targets } from './objective.js';

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
  const weights = weightInputs(graph, config, kind);
  const masked = maskedDropout(graph);
  const dropout = options.dropout ? masked.dropout : noDropout;
  const { builder, tokens } = embeddings(graph, config, (name) => weights.get(name)!, dropout);
  const value = objective(builder, tokens, kind, targetInputs(graph, kind));
  const leaves = new Map([...weights].filter(([name]) => !isTable(name)));
  const [ofTokens, ...ofWeights] = gradients(graph, value, [tokens, ...leaves.values()], builder);
  graph.output(value, LOSS, 'float32', []);
  graph.output(ofTokens, TOKEN_GRADIENTS, 'float32', ['tokens', config.hidden]);
  const shapes = bertTensorShapes(config, headOf(kind));
  [...leaves.keys()].forEach((leaf, i) => {
    const name = leaf === DECODER ? WORDS : leaf;
    graph.output(ofWeights[i], gradientOf(name), 'float32', shapes.get(name)!);
  });
  return { graph, masks: masked.masks };
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
  const weights = weightInputs(graph, config, kind);
  const dropout = options.dropout ? maskedDropout(graph).dropout : noDropout;
  const { builder, tokens } = embeddings(graph, config, (name) => weights.get(name)!, dropout);
  // Logits do not depend on targets.
  const targets = judgesItself(kind) ? targetInputs(graph, kind) : { targets: '' as Value };
  const found = scores(builder, tokens, kind, targets);
  graph.output(found, LOGITS, 'float32', ['rows', scoreColumns(kind, config.labels)]);
  return graph;
}

function targetInputs(graph: Graph, kind: LossKind): Targets {
  const targets = graph.input(TARGETS, 'float32', ['rows', 'columns']);
  return kind === 'masked' ? { targets, wanted: graph.input(WANTED, 'int32', ['tokens']) } : { targets };
}

function weightInputs(graph: Graph, config: ModelConfig, kind: LossKind): ReadonlyMap<string, Value> {
  const weights = new Map<string, Value>();
  for (const [name, shape] of bertTensorShapes(config, headOf(kind))) {
    weights.set(name, graph.input(name, 'float32', shape));
  }
  // A value of its own, so that its gradient is told from that of the tokens.
  if (kind === 'masked') weights.set(DECODER, graph.op('Identity', [weights.get(WORDS)!]));
  return weights;
}
