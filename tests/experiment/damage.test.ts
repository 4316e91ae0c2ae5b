import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BertQeError } from '../../src/common/errors.js';
import { Manifest } from '../../src/experiment/store/manifest.js';
import { ScoreStore } from '../../src/experiment/store/score-store.js';
import { eachFlip } from '../support/flips.js';
import { temporaryFolder } from '../support/folders.js';
import { runExperiment } from './run-experiment.js';
import { fakeModels } from './fake-model.js';
import { smallExperiment } from './small-experiment.js';

const folder = temporaryFolder();
const warnings: string[] = [];
const scoresOf = (i: number): Float32Array => Float32Array.from({ length: 5 }, (_, j) => (i + 1) / (j + 3));
const resultOf = (i: number): unknown => ({ alpha: i / 10, beta: 0.9, cost: { pairs: 1000 + i } });
beforeEach(() => {
  warnings.length = 0;
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)));
});
afterEach(() => void vi.restoreAllMocks());

/** The error that an action ends with: null for success, or a clear one that names the file. */
async function refusal(action: Promise<unknown>, file: string): Promise<string | null> {
  const error = await action.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error === null) return null;
  expect(error).toBeInstanceOf(BertQeError);
  expect((error as BertQeError).message).toContain(file);
  return (error as BertQeError).message;
}

describe('a store of scores with one flipped bit', () => {
  const file = join(folder, 'scores.journal');
  const rows = Array.from({ length: 12 }, (_, i) => `row ${i}`);
  const records = Array.from({ length: 6 }, (_, i) => `record ${i}`);

  async function contentOf(): Promise<Map<string, string>> {
    const store = await ScoreStore.open(file);
    const found = new Map<string, string>();
    for (const key of rows) {
      const row = await store.row(key);
      if (row) found.set(key, JSON.stringify([...row.scores, row.tokens, row.flops, row.timing]));
    }
    for (const key of records) {
      const record = await store.record(key);
      if (record !== undefined) found.set(key, JSON.stringify(record));
    }
    await store.close();
    return found;
  }

  test('gives no other score, and names the damage', async () => {
    const store = await ScoreStore.open(file);
    for (let i = 0; i < rows.length; i += 2) {
      await store.putRows(
        [i, i + 1].map((j) => [
          rows[j],
          { scores: scoresOf(j), tokens: j, flops: 7 * j, timing: { seconds: j / 8, machine: 'this' } },
        ]),
      );
      await store.putRecord(records[i / 2], { ids: ['a', 'é'], query: [i / 7] });
    }
    await store.close();
    const whole = await contentOf();
    expect(whole.size).toBe(18);
    let refused = 0;
    let incomplete = 0;
    await eachFlip([file], 1000, async (place) => {
      warnings.length = 0;
      let found = new Map<string, string>();
      if (
        await refusal(
          contentOf().then((content) => void (found = content)),
          file,
        )
      ) {
        refused++;
        return;
      }
      for (const [key, value] of found) expect(value, `${key}, ${place}`).toBe(whole.get(key));
      if (found.size === whole.size) return;
      incomplete++;
      // A line without its end is torn, as after a kill, and gives no warning.
      const isTorn = found.size >= whole.size - 1 && !found.has(records.at(-1)!);
      if (!isTorn) expect(warnings.join(), place).toContain(`${file}: damaged in line`);
      // Entries behind the damage are kept.
      expect(found.size, place).toBeGreaterThanOrEqual(whole.size - 4);
    });
    expect(incomplete).toBeGreaterThan(750);
    expect(refused).toBeGreaterThan(0);
  });
});

describe('a manifest with one flipped bit', () => {
  const steps = Array.from({ length: 5 }, (_, i) => ({ name: `step ${i}`, inputs: [i], outputs: [] }));
  const file = join(folder, 'manifest.json');
  const open = (): Promise<Manifest> =>
    Manifest.open(folder, { versions: {}, options: {} as never, inputs: {} }, new Map());

  test('never gives another result of a step', async () => {
    const manifest = await open();
    for (const [i, step] of steps.entries()) await manifest.run(step, async () => resultOf(i));
    let again = 0;
    let refused = 0;
    await eachFlip([file], 1000, async (place) => {
      warnings.length = 0;
      let found: Manifest | undefined;
      if (
        await refusal(
          open().then((opened) => void (found = opened)),
          file,
        )
      ) {
        refused++;
        return;
      }
      for (const [i, step] of steps.entries()) {
        expect(await found!.run(step, async () => resultOf(i)), place).toEqual(resultOf(i));
      }
      if (found!.ran.length > 0) again++;
    });
    expect(again).toBeGreaterThan(50);
    expect(refused).toBeGreaterThan(50);
  });

  test('or without steps is refused in one line', async () => {
    for (const steps of ['', ', "steps": 3', ', "steps": null']) {
      writeFileSync(file, `{"format": "bert-qe-experiment", "version": 1${steps}}`);
      await expect(open()).rejects.toMatchObject({ code: 'input', message: expect.stringContaining(file) });
    }
  });
});

test('an experiment computes damaged scores again and ends with the same results', async () => {
  const { file } = smallExperiment(folder, { variants: ['TTT'], baselines: ['MaxP'], grid: undefined });
  const out = join(folder, 'out');
  const run = async (): Promise<number> => {
    const models = fakeModels();
    const { ran } = await runExperiment(file, { out, openModel: models.open });
    expect(ran.length).toBeGreaterThan(0);
    return models.opened.length;
  };
  await run();
  const results = readFileSync(join(out, 'runs', 'BERT-QE-TTT.run'), 'latin1');
  const scores = join(out, 'work', 'scores.journal');
  const bytes = readFileSync(scores);
  // Every line but the header.
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 10);
  for (const [i, end] of ends.entries()) if (i > 0) bytes[end - 40] ^= 1;
  writeFileSync(scores, bytes);
  writeFileSync(join(out, 'runs', 'BERT-QE-TTT.run'), results.replace('Q0', 'q0'));
  expect(await run()).toBeGreaterThan(0);
  expect(warnings.join()).toContain(`${scores}: damaged in line`);
  expect(readFileSync(join(out, 'runs', 'BERT-QE-TTT.run'), 'latin1')).toBe(results);
});
