import type { ErrorCode } from '../../common/errors.js';
import type { Guard, Turn } from '../../bert/runtime/index.js';
import type { EngineSettings, StepOutcome } from './engine.js';
import type { MicroBatch, TrainingBatch } from './micro-batch.js';

/** What main thread and training worker say to each other. */

/** Given to the worker when it starts. */
export interface WorkerSetup {
  readonly settings: EngineSettings;
  /** Folder of the model that training starts from, or the file of a state to go on from. */
  readonly start: { readonly model: string } | { readonly state: string };
  readonly guard: Guard;
  readonly turn: Turn | undefined;
}

export type ToWorker =
  | {
      readonly kind: 'step';
      readonly number: number;
      readonly learningRate: number;
      readonly batches: readonly TrainingBatch[];
    }
  /** As validation sees the batches or, as those of a step, with what the step will drop. */
  | { readonly kind: 'score'; readonly batches: readonly MicroBatch[]; readonly step?: number | undefined }
  /** Everything that going on needs. */
  | { readonly kind: 'saveState'; readonly file: string }
  /** The weights alone, as models are exchanged. */
  | { readonly kind: 'saveModel'; readonly file: string }
  | { readonly kind: 'close' };

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'stepped'; readonly outcome: StepOutcome }
  /** `labels` values per sequence, batch after batch. */
  | { readonly kind: 'scored'; readonly logits: Float32Array<ArrayBuffer> }
  | { readonly kind: 'saved' }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string };
