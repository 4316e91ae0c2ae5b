import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { throttled } from '../../src/server/search/throttle.js';

describe('progress', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is told when a phase begins and ends, and at most every 50 ms between', () => {
    const told: string[] = [];
    const offer = throttled(({ phase, pairs }) => told.push(`${phase} ${pairs}`));
    for (let pairs = 0; pairs <= 1000; pairs++) {
      offer({ phase: 'phaseOne', pairs, total: 1000 });
      if (pairs % 500 === 250) vi.advanceTimersByTime(50);
    }
    offer({ phase: 'phaseTwo', pairs: 0, total: 5 });
    expect(told).toEqual(['phaseOne 0', 'phaseOne 251', 'phaseOne 751', 'phaseOne 1000', 'phaseTwo 0']);
  });
});
