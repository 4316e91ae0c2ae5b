import type { Graph, Value } from '../../bert/onnx/index.js';

/** A dimension of a mask: a size, or one that follows from the batch. */
export type MaskDimension = number | 'batch' | 'sequence' | 'tokens';

/** A factor of activations, an input of the graph: 0 where they are dropped, 1/(1-p) elsewhere. */
export interface DropoutMask {
  readonly name: string;
  readonly dims: readonly MaskDimension[];
}

/** The shape of a mask for a batch of so many sequences of so many tokens. */
export function maskShape({ dims }: DropoutMask, batch: number, sequence: number): number[] {
  const sizes = { batch, sequence, tokens: batch * sequence };
  return dims.map((dim) => (typeof dim === 'number' ? dim : sizes[dim]));
}

/** The dropout of a forward pass; `dims` are the dimensions of the activations. */
export type Dropout = (x: Value, dims: readonly MaskDimension[]) => Value;

export const noDropout: Dropout = (x) => x;

/**
 * Dropout by masks that are inputs. They depend on the seed and the step, so that a resumed training, or one in another
 * runtime, drops the same activations. The state of the runtime's own Dropout can be neither read nor set.
 */
export function maskedDropout(
  graph: Graph,
  isOn: boolean,
): { readonly dropout: Dropout; readonly masks: readonly DropoutMask[] } {
  const masks: DropoutMask[] = [];
  if (!isOn) return { dropout: noDropout, masks };
  const dropout: Dropout = (x, dims) => {
    const name = `dropout ${masks.length}`;
    masks.push({ name, dims });
    return graph.op('Mul', [x, graph.input(name, 'float32', dims)]);
  };
  return { dropout, masks };
}

/** Dropout by the runtime's operator, which draws its masks on the device. Every operator has a stream of its own. */
export function deviceDropout(graph: Graph, rate: number, seed: number): Dropout {
  if (rate === 0) return noDropout;
  let drawn = 0;
  return (x) => {
    const inputs = [x, graph.scalar(rate), graph.boolean(true)];
    return graph.ops('Dropout', inputs, 2, { seed: (seed * 1000 + drawn++) % 2 ** 31 })[0];
  };
}
