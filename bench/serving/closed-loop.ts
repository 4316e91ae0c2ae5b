/** Number of clients, and duration. */
export interface LoopOrder {
  readonly clients: number;
  readonly seconds: number;
}

/** The result of a closed loop. */
export interface Loop {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds of each request, in no order. */
  readonly latencies: readonly number[];
}

/** Clients that each send their next request when the last one is answered. */
export async function closedLoop(
  { clients, seconds }: LoopOrder,
  ask: (i: number) => Promise<void>,
): Promise<Loop> {
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + 1000 * seconds;
  let next = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const sent = performance.now();
      await ask(next++);
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { requests: latencies.length, seconds: (performance.now() - started) / 1000, latencies };
}

export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((p / 100) * sorted.length))] ?? Number.NaN;
}

/** The middle value; of an even number of them, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}
