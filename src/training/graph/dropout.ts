import type { ModelConfig } from '../../bert/index.js';
import type { Graph, Value } from '../../bert/onnx/index.js';

/** An input that multiplies activations: 0 where they are dropped, 1/(1-p) elsewhere. */
export interface DropoutMask {
  readonly name: string;
  /** Its elements, for a batch of so many sequences of so many tokens. */
  shape(batch: number, sequence: number): readonly number[];
}

/** The tokens of a sequence that are queries of attention: all, or the first. */
export type Queries = 'all' | 'first';

/** Drops activations at random, or does not. */
export interface Dropout {
  ofTokens(x: Value): Value;
  ofSequences(x: Value): Value;
  ofAttention(shares: Value, queries: Queries): Value;
}

export const noDropout: Dropout = {
  ofTokens: (x) => x,
  ofSequences: (x) => x,
  ofAttention: (shares) => shares,
};

/**
 * Dropout by masks that are fed: they follow from a seed and a step, so that a training that is resumed, or one in
 * another runtime, drops the same. (The runtime's own Dropout keeps a state that cannot be read or set.)
 */
export class MaskedDropout implements Dropout {
  readonly masks: DropoutMask[] = [];

  constructor(
    private readonly graph: Graph,
    private readonly config: ModelConfig,
  ) {}

  ofTokens(x: Value): Value {
    const { hidden } = this.config;
    return this.#masked(x, ['tokens', hidden], (batch, sequence) => [batch * sequence, hidden]);
  }

  ofSequences(x: Value): Value {
    const { hidden } = this.config;
    return this.#masked(x, ['batch', hidden], (batch) => [batch, hidden]);
  }

  ofAttention(shares: Value, queries: Queries): Value {
    const { heads } = this.config;
    return this.#masked(
      shares,
      ['batch', heads, queries === 'all' ? 'sequence' : 1, 'sequence'],
      (batch, sequence) => [batch, heads, queries === 'all' ? sequence : 1, sequence],
    );
  }

  #masked(x: Value, dims: readonly (string | number)[], shape: DropoutMask['shape']): Value {
    const name = `dropout ${this.masks.length}`;
    this.masks.push({ name, shape });
    return this.graph.op('Mul', [x, this.graph.input(name, 'float32', dims)]);
  }
}
