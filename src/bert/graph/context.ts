import type { ModelConfig } from '../config.js';
import { float, type Graph, type Value } from '../onnx/graph.js';
import type { Operand, Products } from './products.js';
import type { Store } from './store.js';

/**
 * The way self-attention is computed: each head by itself, all heads in onnxruntime's own operator, or all heads in
 * standard operators. They differ in speed only.
 */
export type AttentionStyle = 'by head' | 'fused' | 'plain';

/** Ranges of units, one after the other; `[undefined]`: all at once. */
export type UnitParts = readonly (readonly [from: number, to: number] | undefined)[];

/** The context in which the parts of a BERT graph are built. */
export interface Context {
  readonly graph: Graph;
  readonly config: ModelConfig;
  readonly store: Store;
  readonly attention: AttentionStyle;
  /** The mask of padded sequences, which is added to attention scores: `[batch, sequence]`. */
  readonly mask: Value | undefined;
  /** The parts in which the units of a feed-forward layer are computed, activated and added up. */
  readonly unitParts: UnitParts;
  /** Products over all tokens: nearly all of the work, and all that differs between precisions. */
  readonly products: Products;
  /** Products in floats: those over one token per sequence, which are little work. */
  readonly exact: (rows: Value) => Operand;
  /** The run-time shape `[batch, sequence, …tail]`. */
  readonly shape: (...tail: number[]) => Value;
}

/** A value with a row per token: `[batch · sequence, width]` or, for one token per sequence, `[batch, width]`. */
export function rows({ graph }: Context, value: Value, width: number): Value {
  return graph.op('Reshape', [value, graph.integers([-1, width])]);
}

/**
 * Layer normalisation whose offset includes `shift`, the bias of the residual sum that follows. That sum then needs no
 * addition of its own, and layers that read the shifted rows subtract W·shift from their bias.
 */
export function layerNorm(
  { graph, config, store }: Context,
  rows: Value,
  name: string,
  shift?: string,
): Value {
  const { hidden, layerNormEps } = config;
  const { weights } = store;
  const gain = store.floats(`${name} gain`, [hidden], () => weights.tensor(`${name}.weight`));
  const offset = store.floats(`${name} offset`, [hidden], async () => {
    const own = await weights.tensor(`${name}.bias`);
    if (shift === undefined) return own;
    const added = await weights.tensor(shift);
    return own.map((value, i) => value + added[i]);
  });
  return graph.op('LayerNormalization', [rows, gain, offset], { epsilon: float(layerNormEps) });
}
