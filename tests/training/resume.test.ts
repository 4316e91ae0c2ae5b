import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { withLock } from '../../src/common/lock.js';
import { temporaryFolder } from '../support/folders.js';
import { hasShell, hasSignals } from '../support/platform.js';
import { runChild } from './run-child.js';
import { toyModel } from './toy-task.js';

const options = {
  steps: 24,
  learningRate: 1e-3,
  batch: 16,
  maxLength: 24,
  saveEvery: 5,
  validateEvery: 8,
  threads: 2,
};

function weights(out: string): Buffer {
  return readFileSync(join(out, 'model.safetensors'));
}

/** Everything but the time it took. */
function manifest(out: string): unknown {
  const { seconds, ...rest } = JSON.parse(readFileSync(join(out, 'training.json'), 'utf8')) as {
    seconds: number;
  };
  expect(seconds).toBeGreaterThan(0);
  return rest;
}

describe('a training that is stopped', { timeout: 600_000 }, () => {
  const folder = temporaryFolder();
  const whole = join(folder, 'whole');
  let model: string;

  beforeAll(async () => {
    model = await toyModel(join(folder, 'base'));
    expect(await runChild({ model, out: whole, options })).toMatchObject({ code: 0 });
  }, 600_000);

  test('by kill -9, twice, gives the same weights to the bit', async () => {
    const out = join(folder, 'killed');
    const first = await runChild({ model, out, options, stop: { signal: 'SIGKILL', at: 'step 8' } });
    expect(first.signal).toBe('SIGKILL');
    expect(existsSync(join(out, 'config.json'))).toBe(false);
    const second = await runChild({ model, out, options, stop: { signal: 'SIGKILL', at: 'step 19' } });
    expect(second.signal).toBe('SIGKILL');
    // Step 5 was the last that was saved, or step 8 where its validation was the best.
    expect(['step 6', 'step 9']).toContain(second.lines.find((line) => line.startsWith('step')));
    const third = await runChild({ model, out, options });
    expect(third).toMatchObject({ code: 0 });
    expect(third.lines.find((line) => line.startsWith('step'))).not.toBe('step 1');
    expect(weights(out).equals(weights(whole))).toBe(true);
    expect(manifest(out)).toEqual(manifest(whole));
    expect(readdirSync(out).sort()).toEqual([
      'config.json',
      'model.safetensors',
      'training.json',
      'vocab.txt',
    ]);
  });

  test.skipIf(!hasSignals)('by Ctrl-C saves where it is, and goes on from there', async () => {
    const out = join(folder, 'interrupted');
    const stopped = await runChild({ model, out, options, stop: { signal: 'SIGINT', at: 'step 11' } });
    expect(stopped.code).toBe(130);
    const last = Number(/after step (\d+); it can be resumed/.exec(stopped.lines.at(-1)!)![1]);
    expect(last).toBeGreaterThanOrEqual(11);
    const resumed = await runChild({ model, out, options });
    expect(resumed.lines.find((line) => line.startsWith('step'))).toBe(`step ${last + 1}`);
    expect(weights(out).equals(weights(whole))).toBe(true);
  });

  test('and is finished does nothing more', async () => {
    const again = await runChild({ model, out: whole, options });
    expect(again).toMatchObject({ code: 0, lines: [] });
  });

  test('and whose weights were changed since is not taken for finished', async () => {
    const out = join(folder, 'changed');
    cpSync(whole, out, { recursive: true });
    const changed = weights(out);
    changed[changed.length - 1] ^= 1;
    writeFileSync(join(out, 'model.safetensors'), changed);
    const again = await runChild({ model, out, options });
    expect(again.lines.at(-1)).toMatch(/^corrupt: .*model\.safetensors is not what the training wrote/);
  });

  test('is not resumed from a damaged file, which is named, and starts anew as advised', async () => {
    const out = join(folder, 'damaged');
    await runChild({ model, out, options, stop: { signal: 'SIGKILL', at: 'step 19' } });
    const checkpoints = join(out, 'checkpoints');
    const last = join(checkpoints, 'last.json');
    const { state, best } = JSON.parse(readFileSync(last, 'utf8')) as Record<
      'state' | 'best',
      { name: string }
    >;
    for (const name of ['last.json', state.name, best.name]) {
      const file = join(checkpoints, name);
      const whole = readFileSync(file);
      const changed = Buffer.from(whole);
      changed[whole.length >> 1] ^= 1;
      writeFileSync(file, changed);
      const resumed = await runChild({ model, out, options });
      expect(resumed).toMatchObject({
        code: 2,
        lines: [
          `corrupt: ${file} is damaged: it is not what the training wrote. Delete ${last} to train again from the first step.`,
        ],
      });
      writeFileSync(file, whole);
    }
    rmSync(last);
    const anew = await runChild({ model, out, options });
    expect(anew.lines.find((line) => line.startsWith('step'))).toBe('step 1');
    expect(weights(out).equals(weights(whole))).toBe(true);
  });

  test('is not begun a second time while it runs', async () => {
    const out = join(folder, 'twice');
    await withLock(join(out, '.lock'), { what: out }, async () => {
      const second = await runChild({ model, out, options });
      expect(second).toMatchObject({
        code: 2,
        lines: [
          `locked: ${out} is being written by process ${process.pid}; wait for it, or write elsewhere.`,
        ],
      });
    });
    expect(readdirSync(out)).toEqual([]);
  });

  test('is not taken up with other options, which are named', async () => {
    const out = join(folder, 'other');
    await runChild({ model, out, options, stop: { signal: 'SIGKILL', at: 'step 7' } });
    const other = await runChild({ model, out, options: { ...options, batch: 8 } });
    expect(other.code).toBe(2);
    expect(other.lines.at(-1)).toContain('its checkpoint is of another configuration: batch (16, now 8)');
    // The checkpoint can still be used.
    expect(await runChild({ model, out, options })).toMatchObject({ code: 0 });
    expect(weights(out).equals(weights(whole))).toBe(true);
  });

  test.skipIf(!hasShell)('by a full disk says so and keeps the last good checkpoint', async () => {
    const out = join(folder, 'full');
    const stopped = await runChild({ model, out, options, stop: { signal: 'SIGKILL', at: 'step 7' } });
    expect(stopped.signal).toBe('SIGKILL');
    const before = readFileSync(join(out, 'checkpoints', 'last.json'), 'utf8');
    const full = await runChild({ model, out, options, fileLimit: 300 });
    expect(full.code).toBe(1);
    expect(full.lines.at(-1)).toMatch(
      /failure: .*safetensors: no room left to write this file; what was there before/,
    );
    expect(readFileSync(join(out, 'checkpoints', 'last.json'), 'utf8')).toBe(before);
    expect(await runChild({ model, out, options })).toMatchObject({ code: 0 });
    expect(weights(out).equals(weights(whole))).toBe(true);
  });
});
