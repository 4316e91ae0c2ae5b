import type { ModelConfig } from '../../bert/index.js';
import type { Graph, Value } from '../../bert/onnx/index.js';

/** A factor of activations, an input of the graph: 0 where they are dropped, 1/(1-p) elsewhere. */
export interface DropoutMask {
  readonly name: string;
  /** Its shape for a batch of so many sequences of so many tokens. */
  shape(batch: number, sequence: number): readonly number[];
}

/** The tokens of a sequence that are attention queries. */
export type AttentionQueries = 'all' | 'first';

/** The dropout of a forward pass. */
export interface Dropout {
  ofTokens(x: Value): Value;
  ofSequences(x: Value): Value;
  ofAttention(shares: Value, queries: AttentionQueries): Value;
}

export const noDropout: Dropout = {
  ofTokens: (x) => x,
  ofSequences: (x) => x,
  ofAttention: (shares) => shares,
};

/**
 * Dropout by masks that are inputs. They depend on the seed and the step, so that a resumed training, or one in another
 * runtime, drops the same activations. The state of the runtime's own Dropout can be neither read nor set.
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

  ofAttention(shares: Value, queries: AttentionQueries): Value {
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
