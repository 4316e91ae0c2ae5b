import type { MaskDimensions } from '../graph/index.js';

/** An array that a graph is fed with. */
export interface FeedArray {
  readonly dims: readonly number[];
  readonly data: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
}

/** A part of a step's batch that goes through the network at once. */
export interface NetworkBatch {
  /** The inputs of the graph, by name. */
  readonly feeds: Readonly<Record<string, FeedArray>>;
  /** The row of each embedding table, by its name, that a row of the table's gradient belongs to. */
  readonly rows?: Readonly<Record<string, Int32Array>>;
  /** The number and length of the batch's sequences, which dropout masks have too. */
  readonly extent?: { readonly batch: number; readonly sequence: number };
}

/** A trained tensor of a network: an input of its graphs. */
export interface NetworkParameter {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array;
  /** The factor of the learning rate (1). */
  readonly rate?: number;
  /** Of an embedding table: the output of the training graph with a gradient for every row that was used. */
  readonly rowGradient?: string;
}

/**
 * A small network beside BERT's own training: its parameters, and its graphs as ONNX models. The scoring graph gives
 * {@link SCORES}; the training graph gives the loss and `gradient of NAME` of every parameter.
 */
export interface Network {
  readonly parameters: readonly NetworkParameter[];
  readonly scoring: Uint8Array;
  /** Absent where nothing is trained. */
  readonly training?: Uint8Array;
  /** The dropout masks of the training graph. */
  readonly masks?: readonly MaskDimensions[];
}

/** The output of a scoring graph: a number per document. */
export const SCORES = 'scores';
