import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { experimentCommand } from '../../src/cli/commands/experiment.js';
import { temporaryFolder } from '../support/folders.js';
import { rowsOf } from './run-experiment.js';
import { smallExperiment } from './small-experiment.js';

/** Gathers what a command writes. */
class Sink extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

test('the command runs an experiment with the model that comes with the package, and tells where the report is', async () => {
  const folder = temporaryFolder();
  const small = smallExperiment(folder, {
    models: { T: 'T' },
    variants: ['TTT'],
    depth: 5,
    folds: { roundRobin: 3 },
    method: { kd: 2, kc: 2 },
    ablations: { of: 'TTT', which: ['dropQueryScore'] },
    grid: undefined,
    baselines: ['DPH+KL', 'T'],
  });
  // Six queries do.
  writeFileSync(small.queries, readFileSync(small.queries, 'utf8').split('\n').slice(0, 6).join('\n'));
  const out = join(folder, 'out');
  const dry = { stdout: new Sink(), stderr: new Sink(), signal: new AbortController().signal };
  await experimentCommand.run({
    options: { out: undefined, fleet: undefined, dryRun: true } as never,
    positionals: [small.file],
    io: dry,
  });
  expect(dry.stdout.text).toMatch(
    /^small: 6 queries in 3 folds, the first 5 of DPH\+KL; 1 variant, 2 baselines, 1 ablation\n/,
  );
  // Six queries with five documents each, and two chunks for each of these.
  expect(dry.stdout.text).toMatch(/^T, phase one +30 /m);
  expect(dry.stdout.text).toMatch(/^T, phase three +60 /m);
  expect(existsSync(out)).toBe(false);
  const io = { stdout: new Sink(), stderr: new Sink(), signal: new AbortController().signal };
  await experimentCommand.run({
    options: { out, fleet: undefined, dryRun: false } as never,
    positionals: [small.file],
    io,
  });
  expect(io.stdout.text).toBe(`${join(out, 'report.html')}\n`);
  expect(io.stderr.text).toMatch(/^small: about \d+ pairs, [\d.e-]+ PFLOP .* disk: scores 1 MB/);
  expect(io.stderr.text).toMatch(/BERT-QE-TTT: [\d.]+ s/);
  expect(existsSync(join(out, 'report.html'))).toBe(true);
  const rows = rowsOf(out, 'variants');
  // Tokens were counted: BERT-QE costs more than MaxP, and both cost something.
  expect(rows[0]['GFLOPs as run']).toBeGreaterThan(0);
  expect(rows[1]['GFLOPs as run']).toBeGreaterThan(Number(rows[0]['GFLOPs as run']));
  expect(rows[1]['nDCG@20']).toBeGreaterThan(0.1);
});
