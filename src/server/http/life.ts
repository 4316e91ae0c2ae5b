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

/** A place that is held while the request is read. */
export interface HeldPlace {
  settle(work: number): number;
  release(): void;
}

/** A request from its arrival to its end: who sent it, how long it may take, and whether it is still wanted. */
export class RequestLife {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #place: HeldPlace | undefined;
  #ended: LifeEnd | undefined;
  #notes: Notes = {};

  constructor(
    readonly id: string,
    readonly client: string,
    /** Milliseconds it may take. */
    readonly deadline: number,
  ) {
    this.#timer = setTimeout(() => this.end('deadline'), deadline);
    this.#timer.unref();
  }

  /** Keeps a place until the request is read, or over. */
  hold(place: HeldPlace | undefined): void {
    this.#place = place;
  }

  /** The request is read: it is so much work, and its place is free for it. Returns the work that was held. */
  settle(work: number): number {
    const held = this.#place?.settle(work) ?? 0;
    this.#place = undefined;
    return held;
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
    this.#place?.release();
  }
}
