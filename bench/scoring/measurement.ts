/** The measurement of a round, which a contender prints as a line of JSON. */
export interface Measurement {
  readonly system: 'bert-qe' | 'transformers.js' | 'ceiling';
  readonly model: string;
  readonly precision: string;
  readonly batch: string;
  readonly pairs: number;
  readonly seconds: number;
  /** Floating-point operations per second of the large plain product. */
  readonly flops?: number;
}

export function print(measurement: Measurement): void {
  process.stdout.write(`${JSON.stringify(measurement)}\n`);
}

/** Seconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
