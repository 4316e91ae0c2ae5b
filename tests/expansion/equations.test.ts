import { describe, expect, test } from 'vitest';
import {
  combine,
  combinedToReach,
  expansionScore,
  interpolate,
  softmax,
} from '../../src/expansion/equations.js';

test('Eq. 5 mixes the two scores by α', () => {
  expect(combine(0.8, 0.3, 0.4)).toBeCloseTo(0.6 * 0.8 + 0.4 * 0.3, 12);
  expect(combine(0.8, 0.3, 0)).toBe(0.8);
  expect(combine(0.8, 0.3, 1)).toBe(0.3);
});

test('Eq. 5 without chunks is rel(q,d), whatever α', () => {
  expect(combine(0.8, null, 1)).toBe(0.8);
});

test('Eq. 4 with 0 and 1 for what is not known gives the bounds of rel(C,d)', () => {
  const weights = [0.5, 0.25, 0.25];
  expect(expansionScore(weights, [0.8, 0.4, 0.2])).toBe(0.55);
  expect(expansionScore(weights, [0.8, undefined, 0.2], 0)).toBe(0.45);
  expect(expansionScore(weights, [0.8, undefined, 0.2], 1)).toBe(0.5 * 0.8 + 0.25 + 0.25 * 0.2);
  expect(expansionScore(weights, [0.8, undefined, 0.2])).toBeNaN();
});

describe('the interpolation', () => {
  test('mixes ln M and the initial score by β', () => {
    expect(interpolate(0.5, 12, 0.9)).toBeCloseTo(0.9 * Math.log(0.5) + 1.2, 12);
    expect(interpolate(0.5, 12, 0)).toBe(12);
    expect(interpolate(0.5, 12, 1)).toBe(Math.log(0.5));
  });

  test('is ln M where there is no initial score, whatever β', () => {
    expect(interpolate(0.5, undefined, 0.1)).toBe(Math.log(0.5));
  });

  test('of M = 0 is finite, below every other M, and keeps the order of the initial scores', () => {
    for (const beta of [0, 0.1, 0.5, 0.9, 1]) {
      const zero = interpolate(0, 3, beta);
      expect(Number.isFinite(zero)).toBe(true);
      // The smallest float32 a model can answer.
      expect(zero).toBeLessThanOrEqual(interpolate(1.4e-45, 3, beta));
      if (beta > 0) expect(zero).toBeLessThan(interpolate(1.4e-45, 3, beta));
      if (beta < 1) expect(zero).toBeLessThan(interpolate(0, 3.1, beta));
    }
  });
});

test('the M that a final score needs is the one that gives it', () => {
  for (const [initial, beta] of [
    [undefined, 0.3],
    [12, 0.9],
    [-3, 0.1],
  ] as const) {
    expect(combinedToReach(interpolate(0.3, initial, beta), initial, beta)).toBeCloseTo(0.3, 10);
  }
  expect(combinedToReach(5, 4, 0)).toBe(Number.POSITIVE_INFINITY);
  expect(combinedToReach(4, 4, 0)).toBe(0);
});

test('softmax weights are positive, sum to 1 and differ by e at most for probabilities', () => {
  const weights = softmax([0, 0.25, 1, 1]);
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
  expect(weights[2] / weights[0]).toBeCloseTo(Math.E, 12);
  expect(weights[2]).toBe(weights[3]);
  expect(softmax([])).toEqual([]);
  expect(softmax([0.3])).toEqual([1]);
});
