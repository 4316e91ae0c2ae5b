import type { ModelConfig } from '../../bert/index.js';
import type { Graph, Value } from '../../bert/onnx/index.js';

/** A dimension of a mask: a size, or one that follows from the batch. */
export type MaskDimension = number | 'batch' | 'sequence' | 'tokens';

/** A mask as plain data. */
export interface MaskDimensions {
  readonly name: string;
  readonly dims: readonly MaskDimension[];
}

/** A factor of activations, an input of the graph: 0 where they are dropped, 1/(1-p) elsewhere. */
export interface DropoutMask extends MaskDimensions {
  /** Its shape for a batch of so many sequences of so many tokens. */
  shape(batch: number, sequence: number): readonly number[];
}

export function dropoutMask({ name, dims }: MaskDimensions): DropoutMask {
  return {
    name,
    dims,
    shape(batch, sequence) {
      const sizes = { batch, sequence, tokens: batch * sequence };
      return dims.map((dim) => (typeof dim === 'number' ? dim : sizes[dim]));
    },
  };
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
    return this.#masked(x, ['tokens', this.config.hidden]);
  }

  ofSequences(x: Value): Value {
    return this.#masked(x, ['batch', this.config.hidden]);
  }

  ofAttention(shares: Value, queries: AttentionQueries): Value {
    const { heads } = this.config;
    return this.#masked(shares, ['batch', heads, queries === 'all' ? 'sequence' : 1, 'sequence']);
  }

  #masked(x: Value, dims: readonly MaskDimension[]): Value {
    const mask = dropoutMask({ name: `dropout ${this.masks.length}`, dims });
    this.masks.push(mask);
    return this.graph.op('Mul', [x, this.graph.input(mask.name, 'float32', dims)]);
  }
}
