import { asCardFailure, isOutOfMemory } from '../../bert/runtime/index.js';
import { failureError } from '../../common/errors.js';
import { halves, type TrainingBatch } from './micro-batch.js';

/** Divides micro-batches until a card has memory for them, and remembers how often it had to. */
export class SmallerBatches {
  #times = 0;

  /** Runs work over parts, whose micro-batches are halved as often as is known to be necessary, or turns out to be. */
  async run<Part extends { readonly batches: readonly TrainingBatch[] }, Result>(
    parts: readonly Part[],
    work: (parts: readonly Part[]) => Promise<Result>,
  ): Promise<Result> {
    let divided = parts;
    for (let i = 0; i < this.#times; i++) divided = halved(divided);
    for (;;) {
      try {
        return await work(divided);
      } catch (error) {
        if (!isOutOfMemory(error)) throw asCardFailure(error);
        const smaller = halved(divided);
        if (batchesIn(smaller) === batchesIn(divided)) {
          const message = 'The memory of the card does not hold the training of this model.';
          throw failureError(message, error);
        }
        divided = smaller;
        this.#times++;
      }
    }
  }
}

function halved<Part extends { readonly batches: readonly TrainingBatch[] }>(parts: readonly Part[]): Part[] {
  return parts.map((part) => ({ ...part, batches: part.batches.flatMap(halves) }));
}

function batchesIn(parts: readonly { readonly batches: readonly TrainingBatch[] }[]): number {
  return parts.reduce((sum, { batches }) => sum + batches.length, 0);
}
