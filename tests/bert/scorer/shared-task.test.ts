import { describe, expect, it } from 'vitest';
import {
  createSharedTask,
  finish,
  hasFinished,
  isOver,
  stopTask,
  takeBatch,
} from '../../../src/bert/scorer/shared-task.js';

describe('what workers shared of a task', () => {
  it('gives every batch to one of them, until it is stopped', () => {
    const shared = createSharedTask(2, 3);
    expect([takeBatch(shared), takeBatch(shared)]).toEqual([0, 1]);
    stopTask(shared, 9);
    expect(takeBatch(shared)).toBe(9);
  });

  it('tells the last one that it is, however often the others finish', () => {
    const shared = createSharedTask(3, 1);
    expect([finish(shared, 1), finish(shared, 1), finish(shared, 0)]).toEqual([false, false, false]);
    expect([0, 1, 2].map((worker) => hasFinished(shared, worker))).toEqual([true, true, false]);
    expect(isOver(shared)).toBe(false);
    expect(finish(shared, 2)).toBe(true);
    expect(isOver(shared)).toBe(true);
  });

  it('holds no number before there is one', () => {
    expect([...createSharedTask(2, 3).logits]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });
});
