import { availableParallelism } from 'node:os';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { thisMachine } from '../../../src/bert/runtime/index.js';
import { chooseLayout } from '../../../src/bert/scorer/layout.js';

const GIB = 2 ** 30;
const LARGE = 1_300_000_000;

describe('the layout of workers and threads', () => {
  it('gives every core a worker of its own while copies of the weights are cheap', () => {
    expect(chooseLayout('cpu', 10_000_000, {}, { cores: 16, memory: GIB })).toEqual({
      workers: 16,
      threads: 1,
    });
  });

  it('gives every core its copy of a large model where an eighth of the memory holds them', () => {
    expect(chooseLayout('cpu', LARGE, {}, { cores: 2, memory: 24 * GIB })).toEqual({
      workers: 2,
      threads: 1,
    });
  });

  it('holds a large model once where memory is small, and shares the cores among its threads', () => {
    expect(chooseLayout('cpu', LARGE, {}, { cores: 8, memory: 16 * GIB })).toEqual({
      workers: 1,
      threads: 8,
    });
  });

  it('leaves no core without work for the sake of one more worker', () => {
    // Six copies fit.
    expect(chooseLayout('cpu', LARGE, {}, { cores: 16, memory: 64 * GIB })).toEqual({
      workers: 4,
      threads: 4,
    });
    expect(chooseLayout('cpu', LARGE, {}, { cores: 7, memory: 64 * GIB })).toEqual({
      workers: 1,
      threads: 7,
    });
  });

  it('never has more threads than cores or more copies than memory allows', () => {
    const machine = fc.record({
      cores: fc.integer({ min: 1, max: 128 }),
      memory: fc.integer({ min: GIB, max: 512 * GIB }),
    });
    fc.assert(
      fc.property(machine, fc.integer({ min: 1_000_000, max: 4 * LARGE }), (own, bytes) => {
        const { workers, threads } = chooseLayout('cpu', bytes, {}, own);
        expect(workers).toBeGreaterThanOrEqual(1);
        expect(threads).toBeGreaterThanOrEqual(1);
        expect(workers * threads).toBeLessThanOrEqual(own.cores);
        if (workers > 1) expect(workers * bytes).toBeLessThanOrEqual(Math.max(GIB, own.memory / 8));
      }),
    );
  });

  it('does as it is told', () => {
    const cores = availableParallelism();
    expect(chooseLayout('cpu', 1_000, { workers: 3, threads: 5 }, thisMachine())).toEqual({
      workers: 3,
      threads: 5,
    });
    expect(chooseLayout('cpu', 1_000, { workers: 1 }, thisMachine())).toEqual({ workers: 1, threads: cores });
    expect(chooseLayout('cpu', 1_000, { threads: cores }, thisMachine())).toEqual({
      workers: 1,
      threads: cores,
    });
    expect(chooseLayout('cpu', 1_000, { threads: 3 }, { cores: 8, memory: GIB })).toEqual({
      workers: 2,
      threads: 3,
    });
    expect(chooseLayout('cpu', 1_000, { threads: 9 }, { cores: 8, memory: GIB })).toEqual({
      workers: 1,
      threads: 9,
    });
  });

  it('gives every card as many workers as its memory holds', () => {
    const machine = { cores: 16, memory: 64 * GIB, cards: 4 };
    expect(chooseLayout('cuda', 10_000_000, {}, machine)).toEqual({ workers: 16, threads: 1 });
    expect(chooseLayout('cuda', LARGE, {}, machine)).toEqual({ workers: 4, threads: 1 });
    expect(chooseLayout('cuda', LARGE, { workers: 2 }, machine)).toEqual({ workers: 2, threads: 1 });
  });

  it('uses one worker on a GPU', () => {
    expect(chooseLayout('webgpu', 1_000, {}, thisMachine())).toEqual({ workers: 1, threads: 1 });
  });

  it('gives a CUDA card several workers of a small model, and one of a large one', () => {
    const bytes = [10_000_000, 220_000_000, 670_000_000];
    expect(bytes.map((each) => chooseLayout('cuda', each, {}, thisMachine()).workers)).toEqual([4, 2, 1]);
    expect(chooseLayout('cuda', 10_000_000, { workers: 2 }, thisMachine())).toEqual({
      workers: 2,
      threads: 1,
    });
  });
});
