import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { hasSignals } from '../support/platform.js';
import { runChild as run } from './run-child.js';
import { smallExperiment } from './small-experiment.js';

/** Every file that is a result, with its content. */
function resultsIn(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('work') && statSync(join(folder, name)).isFile())
    .sort();
  return new Map(files.map((name) => [relative('', name), readFileSync(join(folder, name), 'latin1')]));
}

describe('an experiment that is stopped', { timeout: 600_000 }, () => {
  const folder = temporaryFolder();
  const { file } = smallExperiment(folder);

  test('by kill -9, twice, goes on and gives the same results to the byte', async () => {
    const whole = await run(file, join(folder, 'whole'));
    expect(whole).toMatchObject({ code: 0, signal: null });

    const out = join(folder, 'killed');
    const first = await run(file, out, { signal: 'SIGKILL', at: 'BERT-Tiny: 5' });
    expect(first.signal).toBe('SIGKILL');
    const second = await run(file, out, { signal: 'SIGKILL', at: 'BERT-QE-TTT: 4' });
    expect(second.signal).toBe('SIGKILL');
    // The work of the first process was not done again.
    expect(second.lines.some((line) => line.startsWith('index'))).toBe(false);
    const third = await run(file, out);
    expect(third.code).toBe(0);
    expect(third.lines.some((line) => line.startsWith('BERT-Tiny:'))).toBe(false);

    const [expected, found] = [resultsIn(join(folder, 'whole')), resultsIn(out)];
    expect([...found.keys()]).toEqual([...expected.keys()]);
    expect(found.size).toBeGreaterThan(30);
    for (const [name, content] of expected) expect(found.get(name), name).toBe(content);
  });

  test.skipIf(!hasSignals)(
    'by Ctrl-C ends as cancelled and leaves work that a later start takes up',
    async () => {
      const out = join(folder, 'interrupted');
      const stopped = await run(file, out, { signal: 'SIGINT', at: 'BERT-QE-STT: 3' });
      expect([stopped.code, stopped.lines.at(-1)]).toEqual([130, 'aborted']);
      const resumed = await run(file, out);
      expect(resumed.code).toBe(0);
      expect(resumed.lines.some((line) => line.startsWith('BERT-QE-TTT:'))).toBe(false);
      expect(resultsIn(out).get('tables/main.csv')).toBe(
        resultsIn(join(folder, 'whole')).get('tables/main.csv'),
      );
    },
  );
});
