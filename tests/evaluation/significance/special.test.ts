import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  normalCdf,
  normalTwoTailed,
  studentisedRangeTail,
  studentTwoTailed,
  studentTwoTailedQuantile,
} from '../../../src/evaluation/significance/distributions.js';
import { logBeta, logGamma } from '../../../src/evaluation/significance/functions.js';
import { scipy } from './fixture.js';

/** Relative, because tails are small numbers. */
function expectClose(actual: number, expected: number, relative: number): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(relative * Math.abs(expected) + 1e-300);
}

describe('logGamma', () => {
  it('is ln (n-1)! at whole numbers', () => {
    let factorial = 1;
    for (let n = 1; n <= 20; n++) {
      expect(logGamma(n)).toBeCloseTo(Math.log(factorial), 13);
      factorial *= n;
    }
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 14);
  });

  it('gives a beta function that does not lose digits for large arguments', () => {
    // B(a, 1) = 1/a, B(a, 2) = 1/(a(a+1)).
    for (const a of [0.5, 3, 12, 1e3, 1e6, 1e9]) {
      expectClose(Math.exp(logBeta(a, 1)), 1 / a, 1e-13);
      expectClose(Math.exp(logBeta(2, a)), 1 / (a * (a + 1)), 1e-13);
    }
  });
});

describe("Student's t", () => {
  it.each(scipy.studentT)('equals scipy at t = $t, df = $df', ({ t, df, p }) => {
    // scipy itself is off by 3e-11 at t = 1e-6, df = 1.
    expectClose(studentTwoTailed(t, df), p, 1e-10);
    expect(studentTwoTailed(-t, df)).toBe(studentTwoTailed(t, df));
  });

  it('is inverted by its quantile', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 0.999, noNaN: true }),
        fc.integer({ min: 1, max: 2000 }),
        (p, df) => {
          expectClose(studentTwoTailed(studentTwoTailedQuantile(p, df), df), p, 1e-10);
        },
      ),
    );
  });

  it('is one at zero and zero at infinity', () => {
    expect(studentTwoTailed(0, 5)).toBe(1);
    expect(studentTwoTailed(Infinity, 5)).toBe(0);
    expect(studentTwoTailed(1, 0)).toBeNaN();
  });
});

describe('the normal distribution', () => {
  it.each(scipy.normal)('equals scipy at z = $z', ({ z, p }) => {
    expectClose(normalTwoTailed(z), p, 1e-12);
  });

  it('is symmetric', () => {
    fc.assert(
      fc.property(fc.double({ min: -9, max: 9, noNaN: true }), (z) => {
        expect(normalCdf(z) + normalCdf(-z)).toBeCloseTo(1, 14);
      }),
    );
  });
});

describe('the studentised range', () => {
  it.each(scipy.studentisedRange)('equals scipy at q = $q, k = $groups, df = $df', (point) => {
    const tail = studentisedRangeTail(point.q, point.groups, point.df);
    expect(Math.abs(tail - point.scipy)).toBeLessThan(1e-11);
    expect(Math.abs(tail - point.quadrature)).toBeLessThan(1e-11);
  });

  it('of two groups is the t-test with q = t·√2', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 8, noNaN: true }),
        fc.integer({ min: 1, max: 400 }),
        (t, df) => {
          expect(
            Math.abs(studentisedRangeTail(t * Math.SQRT2, 2, df) - studentTwoTailed(t, df)),
          ).toBeLessThan(1e-12);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('is one at zero and zero at infinity', () => {
    expect(studentisedRangeTail(0, 3, 10)).toBe(1);
    expect(studentisedRangeTail(1e-9, 3, 10)).toBeCloseTo(1, 9);
    expect(studentisedRangeTail(Infinity, 3, 10)).toBe(0);
  });
});
