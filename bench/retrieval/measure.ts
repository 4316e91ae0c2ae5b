import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** One measurement, as a JSON line: the same shape as the peers' programs print. */
export interface Measurement {
  readonly system: string;
  readonly step: 'index' | 'search';
  readonly model?: string;
  readonly documents?: number;
  readonly documentsPerSecond?: number;
  readonly indexBytes?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly meanMs?: number;
  readonly peakRssBytes: number;
}

const QUERIES = 1000;
const WARM_UP_MS = 10_000;
const MEASURED_MS = 30_000;

export function print(measurement: Omit<Measurement, 'peakRssBytes'>): void {
  const line: Measurement = { ...measurement, peakRssBytes: process.resourceUsage().maxRSS * 1024 };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Whole passes over the queries until 1000 queries or the time is reached, first to warm up: as the peers do. */
export async function latency(
  system: string,
  model: string,
  queries: readonly string[],
  search: (query: string) => unknown,
): Promise<void> {
  await passes(queries, search, WARM_UP_MS);
  const times = await passes(queries, search, MEASURED_MS);
  times.sort((a, b) => a - b);
  const percentile = (percent: number) => times[Math.max(0, Math.ceil((percent / 100) * times.length) - 1)];
  const meanMs = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  print({ system, step: 'search', model, p50Ms: percentile(50), p99Ms: percentile(99), meanMs });
}

async function passes(
  queries: readonly string[],
  search: (query: string) => unknown,
  limit: number,
): Promise<number[]> {
  const times: number[] = [];
  const start = performance.now();
  do {
    for (const query of queries) {
      const before = performance.now();
      await search(query);
      times.push(performance.now() - before);
    }
  } while (times.length < QUERIES && performance.now() - start < limit);
  return times;
}

/** The texts of `id \t text` lines. */
export function readQueryTexts(file: string): string[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => line.slice(line.indexOf('\t') + 1));
}

export function folderBytes(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? folderBytes(path) : statSync(path).size);
  }, 0);
}
