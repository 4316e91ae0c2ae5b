import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { chooseLayout } from '../../../src/bert/scorer/layout.js';

const cores = availableParallelism();

describe('the layout of workers and threads', () => {
  it('gives every core a worker of its own while copies of the weights are cheap', () => {
    expect(chooseLayout('cpu', 10_000_000, {})).toEqual({
      workers: Math.min(cores, 107),
      threads: Math.max(1, Math.floor(cores / 107)),
    });
  });

  it('holds a large model once and shares the cores among its threads', () => {
    expect(chooseLayout('cpu', 1_300_000_000, {})).toEqual({ workers: 1, threads: cores });
  });

  it('does as it is told', () => {
    expect(chooseLayout('cpu', 1_000, { workers: 3, threads: 5 })).toEqual({ workers: 3, threads: 5 });
    expect(chooseLayout('cpu', 1_000, { workers: 1 })).toEqual({ workers: 1, threads: cores });
    expect(chooseLayout('cpu', 1_000, { threads: cores })).toEqual({ workers: 1, threads: cores });
  });

  it('uses one worker on a GPU', () => {
    expect(chooseLayout('webgpu', 1_000, {})).toEqual({ workers: 1, threads: 1 });
  });
});
