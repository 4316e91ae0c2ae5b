import { describe, expect, it } from 'vitest';
import {
  createShare,
  hasLeft,
  isOver,
  leaveShare,
  stopShare,
  takeBatch,
} from '../../../src/bert/scorer/share.js';

describe('what workers share of a task', () => {
  it('gives every batch to one of them, until it is stopped', () => {
    const share = createShare(2, 3);
    expect([takeBatch(share), takeBatch(share)]).toEqual([0, 1]);
    stopShare(share, 9);
    expect(takeBatch(share)).toBe(9);
  });

  it('tells the last one that it is, however often the others leave', () => {
    const share = createShare(3, 1);
    expect([leaveShare(share, 1), leaveShare(share, 1), leaveShare(share, 0)]).toEqual([false, false, false]);
    expect([0, 1, 2].map((taker) => hasLeft(share, taker))).toEqual([true, true, false]);
    expect(isOver(share)).toBe(false);
    expect(leaveShare(share, 2)).toBe(true);
    expect(isOver(share)).toBe(true);
  });

  it('holds no number before there is one', () => {
    expect([...createShare(2, 3).logits]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });
});
