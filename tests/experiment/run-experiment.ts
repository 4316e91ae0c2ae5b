import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runStudy } from '../../src/experiment/index.js';
import type { ExperimentOutcome } from '../../src/experiment/run-experiment.js';

/** Runs a file that has one experiment. */
export function runExperiment(...call: Parameters<typeof runStudy>): Promise<ExperimentOutcome> {
  return runStudy(...call) as Promise<ExperimentOutcome>;
}

/** The rows of a table that an experiment wrote. */
export function rowsOf(out: string, table: string): Record<string, number | string | null>[] {
  const text = readFileSync(join(out, 'tables', `${table}.json`), 'utf8');
  return (JSON.parse(text) as { rows: Record<string, number | string | null>[] }).rows;
}
