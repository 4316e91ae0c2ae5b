import { clip } from '../../common/clip.js';
import { BertQeError, failureError, throwIfAborted, usageError } from '../../common/errors.js';
import { scoringCost, SequenceTotal } from '../cost.js';
import type { EncoderShape } from '../sizes.js';
import type { Scorer, ScoreOptions, ScoringCost, TextPair } from '../types.js';
import { InFlight } from '../../common/in-flight.js';
import type { BatchTask } from './messages.js';
import { countTask, plan, type PlanOptions } from './plan.js';
import { type Logits, probabilities } from './probabilities.js';
import { costOf, lengthOf, limited } from './window.js';

/** Workers that compute the logits of tasks. */
export interface TaskRunner {
  /** The number of tasks that keep every worker busy; more only wait. */
  readonly capacity: number;
  /** The logits of a task, whose batches are run by one worker or by several; `owner` can withdraw it. */
  run(task: BatchTask, owner: object, workers: number): Promise<Float32Array>;
  /** Drops the owner's tasks: no further batch of them is begun. */
  withdraw(owner: object, reason: Error): void;
  /** Lets all tasks finish, then ends the workers. */
  close(): Promise<void>;
}

/** The facts of a model that scoring needs. */
export interface ScoredModel {
  /** Outputs of the classifier, 1 or 2. */
  readonly labels: number;
  /** The dimensions that costs depend on; absent for ONNX exports whose configuration does not describe a BERT. */
  readonly shape?: EncoderShape;
}

/** A cross-encoder over workers of any kind: tokenises pairs, plans batches, and gathers their logits. */
export class PairScorer<Info extends ScoredModel = ScoredModel> implements Scorer {
  readonly info: Info;
  readonly #runner: TaskRunner;
  readonly #planning: PlanOptions;
  readonly #calls = new Set<Promise<Logits>>();
  #closed = false;

  protected constructor(info: Info, runner: TaskRunner, planning: PlanOptions) {
    this.info = info;
    this.#runner = runner;
    this.#planning = planning;
  }

  /** P(b is relevant to a) for each pair. */
  async score(pairs: readonly TextPair[], options: ScoreOptions = {}): Promise<Float32Array> {
    return probabilities(await this.scoreLogits(pairs, options));
  }

  /** The classifier's raw outputs, which still differ where probabilities saturate at 0 and 1. */
  async scoreLogits(pairs: readonly TextPair[], options: ScoreOptions = {}): Promise<Logits> {
    throwIfAborted(options.signal);
    if (!Array.isArray(pairs)) {
      throw usageError('The pairs are no array; give an array of {a, b} with two strings.');
    }
    if (this.#closed) throw usageError('The scorer is closed; load it again.');
    const call = this.#run(pairs, options);
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** The tokens of a pair as it is truncated. Its texts are tokenised once, for this and for scoring. */
  lengthOf(pair: TextPair): number {
    return lengthOf(pair, this.#planning);
  }

  /** The cost of pairs, without scoring them; undefined where the shape of the model is not known. */
  costOf(pairs: readonly TextPair[], options?: Pick<ScoreOptions, 'secondPieces'>): ScoringCost | undefined {
    return costOf(pairs, this.#planning, this.info.shape, options);
  }

  async #run(pairs: readonly TextPair[], options: ScoreOptions): Promise<Logits> {
    const { signal, onProgress, onCost } = options;
    const { labels, shape } = this.info;
    const values = new Float32Array(pairs.length * labels);
    const inFlight = new InFlight(this.#runner.capacity);
    const abort = () => {
      const reason = new BertQeError('aborted', 'The scoring was cancelled.', { cause: signal?.reason });
      inFlight.fail(reason);
      this.#runner.withdraw(inFlight, reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    let done = 0;
    const total = new SequenceTotal();
    try {
      for await (const planned of plan(pairs, limited(this.#planning, options), signal)) {
        await inFlight.room();
        const finish = (logits: Float32Array): void => {
          planned.pairs.forEach((pair, row) => {
            for (let label = 0; label < labels; label++) {
              const logit = logits[row * labels + label];
              if (!Number.isFinite(logit)) throw notFinite(logit, pair, pairs[pair]);
              values[pair * labels + label] = logit;
            }
          });
          done += planned.pairs.length;
          onProgress?.(done, pairs.length);
        };
        const { task, workers } = planned;
        countTask(task, total);
        inFlight.add(this.#runner.run(task, inFlight, workers).then(finish));
      }
      await inFlight.drained();
      if (shape) onCost?.(scoringCost(shape, total));
      return { labels, values };
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Refuses further calls, lets the running ones finish, then ends the workers. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#calls);
    await this.#runner.close();
  }
}

function notFinite(logit: number, index: number, { a, b }: TextPair): BertQeError {
  const [first, second] = [a, b].map((text) => JSON.stringify(clip(text, 60)));
  return failureError(
    `The model gave ${logit} for pair ${index} (${first}, ${second}); its weights or precision are not usable.`,
  );
}
