import { describe, expect, test } from 'vitest';
import { Checkpoints } from '../../src/training/checkpoints.js';
import type { StepOutcome } from '../../src/training/engine/training-engine.js';
import { type LoopState, trainingLoop } from '../../src/training/training-loop.js';
import { temporaryFolder } from '../support/folders.js';
import { writeFileSync } from 'node:fs';

const folder = temporaryFolder();

/** Runs 20 steps with a worker that takes many at once, or not; returns the calls as [first, count]. */
async function loop(
  prefersManySteps: boolean,
  outcomeOf: (step: number) => StepOutcome = (step) => ({ loss: 1 / (step + 1), gradientNorm: 1 }),
) {
  const calls: [number, number][] = [];
  const saved: number[] = [];
  const reported: number[] = [];
  const rates: number[] = [];
  const state: LoopState = { step: 0, seconds: 0, steps: [], validations: [], best: null };
  const checkpoints = new Checkpoints(folder);
  await checkpoints.prepare();
  const running = trainingLoop(
    {
      async save(_what, file) {
        writeFileSync(file, 'weights');
        saved.push(state.step);
      },
      prefersManySteps,
      schedule: 'linear',
      keep: 'best',
      checkpoints,
      configuration: {},
      steps: 20,
      learningRate: 1e-3,
      warmup: 0.1,
      examplesPerStep: 32,
      saveEvery: 7,
      validateEvery: 10,
      patience: undefined,
      async takeSteps(first, some) {
        calls.push([first, some.length]);
        rates.push(...some);
        const outcomes = some.map((_, i) => outcomeOf(first + i));
        const bad = outcomes.findIndex(({ loss }) => !Number.isFinite(loss));
        return bad < 0 ? outcomes : outcomes.slice(0, bad + 1);
      },
      validate: async () => -state.step,
      onProgress: ({ step }) => reported.push(step),
    },
    state,
  );
  return { running, calls, saved, reported, rates, state };
}

describe('the training loop', () => {
  test('asks for one step at a time', async () => {
    const { running, calls } = await loop(false);
    await running;
    expect(calls).toEqual(Array.from({ length: 20 }, (_, i) => [i, 1]));
  });

  test('asks a worker that prefers it for many, up to the next checkpoint or validation', async () => {
    const one = await loop(false);
    await one.running;
    const { running, calls, saved, reported, rates, state } = await loop(true);
    await running;
    expect(calls).toEqual([
      [0, 4],
      [4, 3],
      [7, 3],
      [10, 4],
      [14, 6],
    ]);
    expect(reported).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect([saved, rates, state.steps]).toEqual([one.saved, one.rates, one.state.steps]);
    expect(state.validations.map(({ step }) => step)).toEqual([0, 10, 20]);
  });

  test('names the step whose loss is not finite, among many', async () => {
    const { running } = await loop(true, (step) => ({ loss: step === 9 ? Number.NaN : 1, gradientNorm: 1 }));
    await expect(running).rejects.toThrow(/^Step 10 of 20: the loss is NaN and the gradient's norm 1\./);
  });
});
