import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { BertScorer } from '../../../src/bert/scorer/bert-scorer.js';
import { emptyModel, miniModel } from './mini-model.js';

/** Threads and open files of this process, where the system tells. */
function held(): { threads: number; files: number } | undefined {
  if (!existsSync('/proc/self/task')) return undefined;
  return { threads: readdirSync('/proc/self/task').length, files: readdirSync('/proc/self/fd').length };
}

/** Handles that keep the process alive; timers are the test runner's. */
function resources(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => name !== 'Timeout')
    .sort();
}

/** What is held between two cycles: the port of a worker that ended closes a moment later. */
async function heldAtRest() {
  await vi.waitFor(() => expect(resources()).not.toContain('MessagePort'), { timeout: 60_000 });
  return { before: held(), waiting: resources() };
}

/** The kernel may need a moment to remove the last thread, on a busy machine a long one. */
async function settled({ before, waiting }: Awaited<ReturnType<typeof heldAtRest>>): Promise<void> {
  await vi.waitFor(
    () => {
      expect(resources()).toEqual(waiting);
      if (!before) return;
      expect(held()!.threads).toBeLessThanOrEqual(before.threads);
      expect(held()!.files).toBeLessThanOrEqual(before.files);
    },
    { timeout: 60_000, interval: 20 },
  );
}

/** bench/scoring/side-effects.ts watches the memory of 200 cycles. */
describe('loading and closing scorers', () => {
  it('leaves no thread, file or handle behind', { timeout: 600_000 }, async () => {
    const model = await miniModel();
    const cycle = async () => {
      const scorer = await BertScorer.load({ model, maxLength: 32, workers: 2, threads: 2 });
      await scorer.score([{ a: 'abc', b: 'some words' }]);
      await scorer.close();
    };
    // The first cycle starts what is kept for good, such as the threads that read files.
    await cycle();
    const rest = await heldAtRest();
    for (let i = 0; i < 6; i++) await cycle();
    await settled(rest);
  });

  it('leaves nothing behind when a session refuses the model', { timeout: 600_000 }, async () => {
    const model = emptyModel();
    mkdirSync(join(model, 'onnx'));
    writeFileSync(join(model, 'onnx/model.onnx'), 'not a graph');
    const refused = () =>
      expect(BertScorer.load({ model, maxLength: 32 })).rejects.toMatchObject({ code: 'input' });
    await refused();
    const rest = await heldAtRest();
    for (let i = 0; i < 6; i++) await refused();
    await settled(rest);
  });
});
