import type { Scorer, ScoreOptions, TextPair } from '../../bert/index.js';
import { InFlight } from '../../common/in-flight.js';
import { failureError, throwIfAborted, usageError } from '../../common/errors.js';

/** A model on a server: splits pairs into requests and sends them. */
export interface RemoteModel {
  /** The server and the model, for messages. */
  readonly identity: string;
  /** Splits pairs into requests; each answers with the probabilities of some pairs. */
  requests(pairs: readonly TextPair[], signal: AbortSignal): AsyncIterable<RemoteRequest>;
  /** Requests at a time. */
  readonly concurrency: number;
}

/** A request for some of the pairs. */
export interface RemoteRequest {
  /** Indexes of the pairs. */
  readonly places: ArrayLike<number>;
  send(): Promise<ArrayLike<number>>;
}

/** Options of all remote scorers. */
export interface RemoteScorerOptions {
  /** Milliseconds that a call of `score` may take, retries included (no limit). */
  readonly deadlineMs?: number;
}

/** The rounding error by which a probability may lie outside [0, 1]. */
const tolerance = 1e-6;

/** A model on another machine as a {@link Scorer}. */
export class RemoteScorer implements Scorer {
  readonly #running = new Set<Promise<Float32Array>>();
  #closed = false;

  constructor(
    readonly model: RemoteModel,
    private readonly options: RemoteScorerOptions = {},
  ) {}

  async score(pairs: readonly TextPair[], options: ScoreOptions = {}): Promise<Float32Array> {
    throwIfAborted(options.signal);
    if (this.#closed) throw usageError('The scorer is closed; open it again.');
    const call = this.#score(pairs, options);
    this.#running.add(call);
    try {
      return await call;
    } finally {
      this.#running.delete(call);
    }
  }

  /** Refuses further calls and waits for the running ones. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#running);
  }

  async #score(pairs: readonly TextPair[], { signal, onProgress }: ScoreOptions): Promise<Float32Array> {
    const { deadlineMs } = this.options;
    const deadline = deadlineMs === undefined ? undefined : AbortSignal.timeout(deadlineMs);
    const failed = new AbortController();
    const stop = AbortSignal.any([failed.signal, ...[signal, deadline].filter((one) => one !== undefined)]);
    const scores = new Float32Array(pairs.length);
    const inFlight = new InFlight(this.model.concurrency);
    let done = 0;
    try {
      for await (const { places, send } of this.model.requests(pairs, stop)) {
        await inFlight.room();
        const sent = send().then((answer) => {
          this.#take(scores, places, answer);
          done += places.length;
          onProgress?.(done, pairs.length);
        });
        sent.catch(() => failed.abort());
        inFlight.add(sent);
      }
    } catch (error) {
      inFlight.fail(error);
    }
    await inFlight.ended();
    try {
      await inFlight.drained();
    } catch (cause) {
      throwIfAborted(signal);
      if (!deadline?.aborted) throw cause;
      const message = `${this.model.identity}: not done within ${deadlineMs} ms.`;
      throw failureError(message, cause);
    }
    return scores;
  }

  #take(scores: Float32Array, places: ArrayLike<number>, answer: ArrayLike<number>): void {
    for (let i = 0; i < places.length; i++) {
      const score = answer[i];
      if (!(score >= -tolerance && score <= 1 + tolerance)) {
        throw failureError(
          `${this.model.identity} answered ${score}; a scorer must give probabilities between 0 and 1, not logits.`,
        );
      }
      scores[places[i]] = Math.min(1, Math.max(0, score));
    }
  }
}
