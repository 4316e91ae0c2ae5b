import type { Device, Guard, LoadOptions, Turn } from '../runtime/index.js';
import type { Share } from './share.js';

/** What main thread and scoring workers say to each other. */

/** An ONNX file: written by this project or any export of a cross-encoder, told apart by its inputs. */
export interface RunnableModel extends LoadOptions {
  readonly path: string;
  /** What its config promises: 1 or 2. */
  readonly labels: number;
  readonly maxPositions: number;
  /** The slot of padding, of graphs that take sequences of different lengths in a batch. */
  readonly paddingSlot?: number;
}

/** Given to a worker when it starts. */
export interface WorkerSetup {
  readonly model: RunnableModel;
  readonly device: Device;
  readonly threads: number;
  /** Steps by which its threads give way to others of the machine (0). */
  readonly niceness?: number;
  /** Token type of the second text in exports that take token types. */
  readonly secondSegment: 0 | 1;
  readonly guard: Guard;
  readonly turn: Turn | undefined;
}

/**
 * Several batches, each of sequences of one length or padded to the length of the longest; arrays hold their
 * sequences one after the other.
 */
export interface BatchTask {
  readonly ids: Int32Array<ArrayBuffer>;
  /** Per sequence, the place of the second text's first token. */
  readonly splits: Int32Array<ArrayBuffer>;
  /** Per sequence, the place behind its last token; without this sequences are not padded. */
  readonly ends?: Int32Array<ArrayBuffer>;
  /** Per batch: how many sequences, of what length. */
  readonly shapes: readonly { readonly rows: number; readonly length: number }[];
  /** Of a task that several workers have: what they share, and which of them this one is. */
  readonly taking?: { readonly share: Share; readonly taker: number };
}

export type ToWorker =
  | { readonly kind: 'run'; readonly id: number; readonly task: BatchTask }
  | { readonly kind: 'close' };

export type FromWorker =
  | { readonly kind: 'ready' }
  /** The model cannot be loaded; the worker ends. */
  | { readonly kind: 'refused'; readonly message: string }
  /** `labels` values per sequence, in the order of the task. */
  | { readonly kind: 'done'; readonly id: number; readonly logits: Float32Array<ArrayBuffer> }
  /** Of a task that several workers had, said by the last of them. */
  | { readonly kind: 'over'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };
