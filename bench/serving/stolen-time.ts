import { readFileSync } from 'node:fs';

/** Milliseconds of a tick of the kernel's counters. */
const tickMs = 10;

/**
 * What the machine under a virtual one kept for itself: time in which a core had work but was not run. Linux counts it
 * per core, in ticks; other systems tell nothing, which reads as none.
 */
export class StolenTime {
  readonly #moments: number[] = [];
  /** Per moment, the milliseconds stolen from each core so far. */
  readonly #stolen: number[][] = [];

  /** To be called often: what is known is known between two looks. */
  look(): void {
    this.#moments.push(performance.now());
    this.#stolen.push(stolenSoFar());
  }

  /** Milliseconds stolen from all cores, from the first look to the last. */
  get total(): number {
    return sum(this.#last) - sum(this.#stolen[0] ?? []);
  }

  /** The most that was stolen from any one core between two moments, rounded up to whole looks. */
  between(from: number, to: number): number {
    const before = this.#moments.findLastIndex((moment) => moment <= from);
    const after = this.#moments.findIndex((moment) => moment >= to);
    const first = this.#stolen[Math.max(0, before)] ?? [];
    const last = after === -1 ? this.#last : this.#stolen[after];
    return Math.max(0, ...last.map((stolen, core) => stolen - first[core]));
  }

  get #last(): readonly number[] {
    return this.#stolen.at(-1) ?? [];
  }
}

/** A share of all cores' time, 0 to 1, that was stolen while something ran. */
export async function withStolenShare<T>(act: () => Promise<T>): Promise<{ result: T; stolen: number }> {
  const time = new StolenTime();
  const started = performance.now();
  time.look();
  const result = await act();
  time.look();
  const cores = stolenSoFar().length;
  return { result, stolen: cores === 0 ? 0 : time.total / (cores * (performance.now() - started)) };
}

function stolenSoFar(): number[] {
  try {
    const lines = readFileSync('/proc/stat', 'utf8').match(/^cpu\d+ .*/gm) ?? [];
    // cpuN user nice system idle iowait irq softirq steal …
    return lines.map((line) => tickMs * Number(line.split(' ')[8]));
  } catch {
    return [];
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
