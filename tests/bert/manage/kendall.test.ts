import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kendallTau } from '../../../src/bert/manage/kendall.js';

/** τ-b by its definition, over all pairs. */
function byDefinition(x: readonly number[], y: readonly number[]): number {
  let agreement = 0;
  let untiedX = 0;
  let untiedY = 0;
  for (let i = 0; i < x.length; i++) {
    for (let j = 0; j < i; j++) {
      agreement += Math.sign(x[i] - x[j]) * Math.sign(y[i] - y[j]);
      untiedX += Number(x[i] !== x[j]);
      untiedY += Number(y[i] !== y[j]);
    }
  }
  return agreement / Math.sqrt(untiedX * untiedY);
}

describe("Kendall's tau", () => {
  it('is 1 for the same order and -1 for the opposite one', () => {
    expect(kendallTau([1, 2, 3, 4], [10, 20, 30, 40])).toBe(1);
    expect(kendallTau([1, 2, 3, 4], [4, 3, 2, 1])).toBe(-1);
  });

  it('equals its definition, ties included', () => {
    const score = fc.integer({ min: 0, max: 12 });
    fc.assert(
      fc.property(fc.array(fc.tuple(score, score), { minLength: 2, maxLength: 60 }), (pairs) => {
        const x = pairs.map(([value]) => value);
        const y = pairs.map(([, value]) => value);
        const expected = byDefinition(x, y);
        if (Number.isNaN(expected)) expect(kendallTau(x, y)).toBeNaN();
        else expect(kendallTau(x, y)).toBeCloseTo(expected, 12);
      }),
    );
  });
});
