/** Why a request ended before its answer. */
export type LifeEnd = 'hang-up' | 'deadline' | 'stop';

/** What is known of a request when it is over, for headers, log and metrics; never its texts. */
export interface Notes {
  readonly model?: string;
  readonly documents?: number;
  readonly pairs?: number;
  readonly tokens?: number;
  readonly queueMs?: number;
  readonly inferenceMs?: number;
  readonly retrievalMs?: number;
}

/** A request from its arrival to its end: who sent it, how long it may take, and whether it is still wanted. */
export class RequestLife {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #hangUp: AbortSignal;
  readonly #onHangUp = () => this.end('hang-up');
  #ended: LifeEnd | undefined;
  #notes: Notes = {};

  constructor(
    readonly id: string,
    readonly client: string,
    /** Milliseconds it may take. */
    readonly deadline: number,
    /** Fires when the client closes the connection. */
    hangUp: AbortSignal,
  ) {
    this.#hangUp = hangUp;
    this.#timer = setTimeout(() => this.end('deadline'), deadline);
    this.#timer.unref();
    hangUp.addEventListener('abort', this.#onHangUp, { once: true });
    if (hangUp.aborted) this.end('hang-up');
  }

  /** Fires when the answer is no longer wanted. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ended(): LifeEnd | undefined {
    return this.#ended;
  }

  get notes(): Notes {
    return this.#notes;
  }

  note(notes: Notes): void {
    this.#notes = { ...this.#notes, ...notes };
  }

  /** Gives the request up; the first reason stays. */
  end(why: LifeEnd): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.#controller.abort(why);
  }

  /** It is answered: nothing can end it any more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#hangUp.removeEventListener('abort', this.#onHangUp);
  }
}
