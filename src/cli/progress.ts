import type { Io } from './command.js';

/** A line on stderr that tells how far a long job is; silent where stderr is not a terminal. */
export class Progress {
  readonly #started = performance.now();
  #shown = 0;
  #width = 0;

  constructor(
    private readonly io: Io,
    /** What is counted, e.g. `documents`. */
    private readonly unit: string,
  ) {}

  /** `share` is the fraction of the whole job that is done, where known: it gives the time left. */
  update(done: number, share?: number, note = ''): void {
    const now = performance.now();
    if (!this.io.stderr.isTTY || now - this.#shown < 100) return;
    this.#shown = now;
    const seconds = (now - this.#started) / 1000;
    const parts = [`${formatCount(done)} ${this.unit}`, `${formatCount(done / seconds)}/s`];
    if (share !== undefined && share > 0.001) {
      parts.unshift(`${Math.floor(100 * Math.min(1, share))}%`);
      parts.push(`${formatDuration((seconds * (1 - share)) / share)} left`);
    }
    if (note) parts.push(note);
    this.#write(parts.join(' · '));
  }

  /** Removes the line, so that what follows starts clean. */
  done(): void {
    if (this.#width > 0) this.#write('');
    this.#width = 0;
  }

  get seconds(): number {
    return (performance.now() - this.#started) / 1000;
  }

  #write(text: string): void {
    this.io.stderr.write(`\r${text.padEnd(this.#width)}${text === '' ? '\r' : ''}`);
    this.#width = text.length;
  }
}

/** 1234567 → 1,234,567. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** Seconds as a person says them: 8.2 s, 3 min 20 s, 2 h 5 min. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
