import type { Io } from './command.js';
import { formatCount, formatDuration } from './format.js';

/** Back to the start of the line, and nothing to the right of it. */
const clearLine = '\r\u001B[K';

/** A line of a terminal that is overwritten, ten times a second at most; nothing where stderr is not a terminal. */
export class StatusLine {
  #shownAt = 0;
  #isShown = false;

  constructor(private readonly io: Io) {}

  get isTerminal(): boolean {
    return this.io.stderr.isTTY === true;
  }

  /** Shows the text that `text` returns; it is not called where nothing is shown. */
  show(text: () => string): void {
    const now = performance.now();
    if (!this.isTerminal || now - this.#shownAt < 100) return;
    this.#shownAt = now;
    this.#isShown = true;
    this.io.stderr.write(`${clearLine}${text()}`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.#isShown) this.io.stderr.write(clearLine);
    this.#isShown = false;
  }
}

/** The progress of a long task as a line on the terminal: what is done, how fast, and the time left. */
export class Progress {
  readonly #started = performance.now();
  readonly #line: StatusLine;

  constructor(
    io: Io,
    /** The noun of what is counted, e.g. `documents`. */
    private readonly unit: string,
  ) {
    this.#line = new StatusLine(io);
  }

  /** `share` is the part of the whole task that is done, where known: it gives the time left. */
  update(done: number, share?: number, note = ''): void {
    this.#line.show(() => {
      const { seconds } = this;
      const parts = [`${formatCount(done)} ${this.unit}`, `${formatCount(done / seconds)}/s`];
      if (share !== undefined && share > 0.001) {
        parts.unshift(`${Math.floor(100 * Math.min(1, share))}%`);
        parts.push(`${formatDuration((seconds * (1 - share)) / share)} left`);
      }
      if (note) parts.push(note);
      return parts.join(' · ');
    });
  }

  /** Removes the line. */
  done(): void {
    this.#line.clear();
  }

  get seconds(): number {
    return (performance.now() - this.#started) / 1000;
  }
}
