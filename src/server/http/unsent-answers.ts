import type { ServerResponse } from 'node:http';
import { unsentBytes } from '../limits.js';

/** Milliseconds between two looks at the connections. */
const lookMs = 500;

/** The wait of an answer. */
interface Waiting {
  since: number;
  /** Bytes of the connection up to the end of what waited then. */
  end: number;
}

/**
 * The answers that clients have not taken yet. A client has a limited time to take its answer, or what was sent of a
 * stream. All of them together hold a limited number of bytes: beyond it, those that have waited longest are dropped.
 */
export class UnsentAnswers {
  readonly #waiting = new Map<ServerResponse, Waiting>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    /** Milliseconds that an answer may wait. */
    private readonly longestMs: number,
    private readonly mostBytes = unsentBytes,
  ) {}

  /** Watches an answer; to be called when something was written to it. */
  watch(response: ServerResponse): void {
    if (response.writableLength === 0 || this.#waiting.has(response)) return;
    this.#waiting.set(response, { since: performance.now(), end: writtenTo(response) });
    if (this.bytes > this.mostBytes) this.#look();
    this.#timer ??= setInterval(() => this.#look(), Math.min(lookMs, this.longestMs / 2)).unref();
  }

  /** Bytes that wait now. */
  get bytes(): number {
    let bytes = 0;
    for (const response of this.#waiting.keys()) bytes += response.writableLength;
    return bytes;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const now = performance.now();
    let { bytes } = this;
    for (const [response, waiting] of this.#waiting) {
      const { writableLength } = response;
      const isTaken = writableLength === 0 || response.destroyed;
      // More may have been written to a stream since.
      if (writtenTo(response) - writableLength >= waiting.end) {
        waiting.since = now;
        waiting.end = writtenTo(response);
      }
      if (!isTaken && bytes <= this.mostBytes && now - waiting.since < this.longestMs) continue;
      this.#waiting.delete(response);
      bytes -= writableLength;
      if (!isTaken) (response.socket ?? response).destroy();
    }
    if (this.#waiting.size === 0) this.close();
  }
}

/** Bytes written to the connection of an answer, those that wait included. */
function writtenTo({ socket }: ServerResponse): number {
  return socket?.bytesWritten ?? 0;
}
