import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatFixed } from '../../src/evaluation/report/trec.js';

describe('formatFixed', () => {
  it('rounds exact ties to the even digit, as printf does', () => {
    // All are odd multiples of 1/32: exactly between two decimals of four places.
    expect([1 / 32, 3 / 32, 5 / 32, 31 / 32, 33 / 32].map((value) => formatFixed(value, 4))).toEqual([
      '0.0312',
      '0.0938',
      '0.1562',
      '0.9688',
      '1.0312',
    ]);
    expect([0.125, 0.375, 2.5, -0.125].map((value) => formatFixed(value, 2))).toEqual([
      '0.12',
      '0.38',
      '2.50',
      '-0.12',
    ]);
    expect([0.5, 1.5, 2.5].map((value) => formatFixed(value, 0))).toEqual(['0', '2', '2']);
  });

  it('is the nearest decimal everywhere else', () => {
    fc.assert(
      fc.property(fc.double({ min: -2, max: 2, noNaN: true }), (value) => {
        expect(Math.abs(Number(formatFixed(value, 4)) - value)).toBeLessThanOrEqual(0.00005 + 1e-15);
      }),
    );
    // C's output for decimals that no double holds exactly.
    const printed = [0.00005, 0.00015, 0.00025, 0.12345, 2.00005].map((value) => formatFixed(value, 4));
    expect(printed).toEqual(['0.0001', '0.0001', '0.0003', '0.1235', '2.0000']);
  });
});
