import { ElementType, type Value } from '../../bert/onnx/index.js';
import { activated, type Builder, dense, lastStates, layerNorm, widened } from './encoder.js';
import { DECODER } from './names.js';

/**
 * The loss of masked-language pre-training, −Σ weight · log P(token), over the tokens that were masked. The head (dense
 * layer, activation and LayerNorm, then the word embeddings as output weights, and a bias) reads these tokens alone: its
 * result is as wide as the vocabulary.
 *
 * @param tokens The summed embeddings, `[tokens, hidden]`.
 * @param wanted Integers `[tokens]`, padding included: the id of a token that was masked, -1 for the others.
 * @param targets `[sequences, 1]`: the weight of each masked token of a sequence.
 */
export function maskedLoss(builder: Builder, tokens: Value, wanted: Value, targets: Value): Value {
  const { graph, weight, batch, float } = builder;
  const ids = graph.op('Cast', [wanted], { to: ElementType.int64 });
  const isMasked = graph.op('GreaterOrEqual', [ids, graph.integers([0], [])]);
  const places = graph.op('Reshape', [graph.op('NonZero', [isMasked]), graph.integers([-1])]);
  const states = rowsAt(builder, lastStates(builder, tokens), isMasked, places);
  const name = 'cls.predictions';
  const transformed = activated(builder, dense(builder, states, `${name}.transform.dense`));
  const x = layerNorm(builder, transformed, `${name}.transform.LayerNorm`);
  const logits = graph.op('Gemm', [x, weight(DECODER), weight(`${name}.bias`)], { transB: 1 });
  const logProbabilities = graph.op('LogSoftmax', [widened(graph, logits, float)], { axis: -1 });
  const column = graph.op('Unsqueeze', [graph.op('Gather', [ids, places]), graph.integers([1])]);
  const ofWanted = graph.op('GatherElements', [logProbabilities, column], { axis: 1 });
  const length = graph.op('Div', [graph.op('Shape', [ids]), batch]);
  const weights = graph.op('Gather', [targets, graph.op('Div', [places, length])]);
  const sum = graph.op('ReduceSum', [graph.op('Mul', [ofWanted, weights])], { keepdims: 0 });
  return graph.op('Mul', [sum, graph.scalar(-1)]);
}

/** The rows of a matrix at places in rising order. Their gradient is gathered too, which is faster than to scatter it. */
function rowsAt(
  { graph, config, float, composites }: Builder,
  x: Value,
  isTaken: Value,
  places: Value,
): Value {
  const rows = graph.op('Gather', [x, places]);
  composites.set(rows, {
    inputs: [x],
    rule: (gradient) => {
      const zeros = graph.op('ConstantOfShape', [graph.integers([1, config.hidden])]);
      const none = float === 'float32' ? zeros : graph.op('Cast', [zeros], { to: ElementType[float] });
      const taken = graph.op('Cast', [isTaken], { to: ElementType.int64 });
      // The number of a taken row, from 1, and 0 for the others.
      const number = graph.op('Mul', [graph.op('CumSum', [taken, graph.integers([0], [])]), taken]);
      return [graph.op('Gather', [graph.op('Concat', [none, gradient], { axis: 0 }), number])];
    },
  });
  return rows;
}
