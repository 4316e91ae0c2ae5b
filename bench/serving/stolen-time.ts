import { readFileSync } from 'node:fs';

/** Milliseconds of a tick of the kernel's counters. */
const tickMs = 10;

/**
 * The time in which a core of this virtual machine had work but was not run by the host. Linux counts it per core, in
 * ticks; on other systems it reads as none.
 */
export class StolenTime {
  readonly #moments: number[] = [];
  /** Per moment, the milliseconds stolen from each core so far. */
  readonly #stolen: number[][] = [];

  /** Takes a sample; to be called often, since times are known between two samples only. */
  sample(): void {
    this.#moments.push(performance.now());
    this.#stolen.push(stolenSoFar());
  }

  /** Milliseconds stolen from all cores, from the first sample to the last. */
  get total(): number {
    return sum(this.#last) - sum(this.#stolen[0] ?? []);
  }

  /** The most that was stolen from any one core between two moments, rounded up to whole samples. */
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
  time.sample();
  const result = await act();
  time.sample();
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
