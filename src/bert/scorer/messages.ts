import type { BatchForm } from '../graph/index.js';
import type { Device, SessionOptions, NO_ANSWER, WorkerService } from '../runtime/index.js';
import type { SharedTask } from './shared-task.js';

/** An ONNX file: written by this project or any export of a cross-encoder, told apart by its inputs. */
export interface RunnableModel extends SessionOptions {
  readonly path: string;
  /** Outputs of the classifier, 1 or 2, as its configuration states; if it does not, those of the graph count. */
  readonly labels?: number;
  readonly maxPositions: number;
  readonly batches: BatchForm;
  readonly paddingSlot?: number;
}

export interface WorkerSetup {
  readonly model: RunnableModel;
  readonly device: Device;
  readonly threads: number;
  /** The number of the card of a machine with several (0). */
  readonly card?: number;
  /** Steps by which its threads give way to others of the machine (0). */
  readonly niceness?: number;
  /** Token type of the second text in exports that take token types. */
  readonly secondSegment: 0 | 1;
}

/**
 * Batches of sequences in the form of the model. Arrays hold the sequences one after the other.
 */
export interface BatchTask {
  readonly ids: Int32Array<ArrayBuffer>;
  /** Per sequence, the position of the second text's first token. */
  readonly splits: Int32Array<ArrayBuffer>;
  /** Per sequence, the position after its last token; absent if all sequences of a batch have one length. */
  readonly ends?: Int32Array<ArrayBuffer>;
  /** Per batch: the number of sequences and the length of the longest. */
  readonly shapes: readonly { readonly rows: number; readonly length: number }[];
}

export interface ScoringService extends WorkerService {
  /** The model's outputs per sequence. */
  labels(): Promise<number>;
  /** Runs batches of the task until none is left; only the last worker to finish answers. */
  run(task: BatchTask, shared: SharedTask, worker: number): Promise<true | typeof NO_ANSWER>;
}
