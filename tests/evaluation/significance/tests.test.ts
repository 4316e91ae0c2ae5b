import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { correct } from '../../../src/evaluation/significance/p-values.js';
import { randomisationTest } from '../../../src/evaluation/significance/randomisation.js';
import { starOf } from '../../../src/evaluation/significance/p-values.js';
import { pairedDifference, pairedTTest } from '../../../src/evaluation/significance/paired.js';
import { tukeyHsd } from '../../../src/evaluation/significance/tukey.js';
import { wilcoxonSignedRank } from '../../../src/evaluation/significance/wilcoxon.js';
import { scipy } from './fixture.js';

const TOLERANCE = 1e-9;

function expectNear(actual: number, expected: number): void {
  expect(Math.abs(actual - expected), `${actual} should be ${expected}`).toBeLessThan(TOLERANCE);
}

const pairs = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 })), {
    minLength: 2,
    maxLength: 60,
  })
  .map((rows) => ({ a: rows.map(([x]) => x / 20), b: rows.map(([, y]) => y / 20) }));

describe.each(scipy.paired)('paired tests on $name', (sample) => {
  it('t-test, interval and effect size equal scipy', () => {
    const { statistic, p, df } = pairedTTest(sample.a, sample.b);
    expect(df).toBe(sample.t.df);
    expectNear(statistic, sample.t.statistic);
    expectNear(p, sample.t.p);
    const { interval, effectSize } = pairedDifference(sample.a, sample.b);
    expectNear(interval[0], sample.interval[0]);
    expectNear(interval[1], sample.interval[1]);
    expectNear(effectSize, sample.cohensD);
  });

  it('Wilcoxon equals scipy', () => {
    const { statistic, p } = wilcoxonSignedRank(sample.a, sample.b);
    expect(statistic).toBe(sample.wilcoxon.statistic);
    expectNear(p, sample.wilcoxon.p);
  });

  const { randomisation } = sample;
  if (!randomisation) return;
  it('exact randomisation equals scipy', () => {
    const { statistic, p } = randomisationTest(sample.a, sample.b);
    expectNear(statistic, randomisation.statistic);
    expectNear(p, randomisation.p);
  });
});

describe('paired tests', () => {
  it('do not depend on which system comes first, and find nothing between a system and itself', () => {
    fc.assert(
      fc.property(pairs, ({ a, b }) => {
        for (const test of [pairedTTest, wilcoxonSignedRank, randomisationTest] as const) {
          const { p } = test(a, b);
          expect(p).toBeGreaterThanOrEqual(0);
          expect(p).toBeLessThanOrEqual(1);
          // Differences that all agree have no deviation but for rounding: there the t-test's p is noise near 0.
          if (p > 1e-12) expect(test(b, a).p).toBeCloseTo(p, 9);
          expect(test(a, a).p).toBe(1);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('cannot be made on one query: p is not a number for the t-test', () => {
    expect(pairedTTest([0.4], [0.2]).p).toBeNaN();
    expect(pairedDifference([0.4], [0.2]).interval).toEqual([Number.NaN, Number.NaN]);
  });

  it('refuse samples of different sizes', () => {
    expect(() => pairedTTest([0.1, 0.2], [0.1])).toThrow(/same queries.*2 values.*1/);
  });
});

describe('the sampled randomisation test', () => {
  const large = scipy.paired.filter(({ a, name }) => a.length >= 100 && name.includes('continuous'));

  it('comes close to the t-test on many queries', () => {
    expect(large.length).toBeGreaterThan(0);
    for (const { a, b, t } of large) {
      const { p } = randomisationTest(a, b);
      expect(Math.abs(p - t.p)).toBeLessThan(0.01);
    }
  });

  it('answers the same for the same seed, nearly the same for another', () => {
    const { a, b } = large.find(({ t }) => t.p > 0.05)!;
    const first = randomisationTest(a, b, { seed: 7 });
    expect(randomisationTest(a, b, { seed: 7 })).toEqual(first);
    const other = randomisationTest(a, b, { seed: 8 });
    expect(other.p).not.toBe(first.p);
    expect(other.p).toBeCloseTo(first.p, 1);
  });

  it('never claims the impossible: p is at least one in the number of samples', () => {
    const a = Array.from({ length: 200 }, (_, i) => 0.5 + (i % 7) / 100);
    const b = a.map((value) => value - 0.3);
    expect(randomisationTest(a, b, { samples: 999 }).p).toBe(0.001);
  });
});

describe('corrections for several tests', () => {
  it.each(scipy.corrections)('equal statsmodels for $p', ({ p, holm, bonferroni }) => {
    correct(p, 'holm').forEach((value, i) => expectNear(value, holm[i]));
    correct(p, 'bonferroni').forEach((value, i) => expectNear(value, bonferroni[i]));
    expect(correct(p, 'none')).toEqual(p);
  });

  it('never lower a p-value, and Bonferroni is never milder than Holm', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (p) => {
        const holm = correct(p, 'holm');
        const bonferroni = correct(p, 'bonferroni');
        p.forEach((value, i) => {
          expect(holm[i]).toBeGreaterThanOrEqual(value);
          expect(bonferroni[i]).toBeGreaterThanOrEqual(holm[i]);
        });
      }),
    );
  });

  it('leave out tests that could not be made', () => {
    expect(correct([0.01, Number.NaN, 0.02], 'bonferroni')).toEqual([0.02, Number.NaN, 0.04]);
  });
});

describe("Tukey's HSD", () => {
  it.each(scipy.tukey)('equals scipy, with queries as blocks (%#)', (sample) => {
    const p = tukeyHsd(sample.systems);
    sample.systems.forEach((_, i) =>
      sample.systems.forEach((_, j) => expectNear(p[i][j], sample.blocked[i][j])),
    );
  });

  it('of two systems over the same queries is the paired t-test', () => {
    for (const { a, b, t } of scipy.paired) {
      if (a.length < 5) continue;
      expectNear(tukeyHsd([a, b])[0][1], t.p);
    }
  });

  it('refuses a single system and systems of unequal length', () => {
    expect(() => tukeyHsd([[1, 2]])).toThrow(/two or more systems/);
    expect(() => tukeyHsd([[1, 2], [1]])).toThrow(/same queries/);
  });
});

describe('stars', () => {
  it('follow the paper: *** below .01, ** below .05, * below .1', () => {
    expect([0.0099, 0.01, 0.049, 0.05, 0.099, 0.1, 1, Number.NaN].map(starOf)).toEqual([
      '***',
      '**',
      '**',
      '*',
      '*',
      '',
      '',
      '',
    ]);
  });
});
