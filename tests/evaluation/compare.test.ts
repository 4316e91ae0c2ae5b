import { describe, expect, it } from 'vitest';
import { compareRuns, evaluate, type NamedEvaluation } from '../../src/evaluation/index.js';
import { tukeyHsd } from '../../src/evaluation/significance/tukey.js';
import type { Qrels, Run } from '../../src/collection/index.js';

const qrels: Qrels = new Map(Array.from({ length: 12 }, (_, i) => [`q${i}`, new Map([['x', 1]])]));

/** Ranks the relevant document of query i at place `ranks[i]`; null leaves the query out. */
function system(name: string, ranks: readonly (number | null)[], complete = false): NamedEvaluation {
  const run: Run = new Map(
    ranks.flatMap((rank, i) =>
      rank === null
        ? []
        : [
            [
              `q${i}`,
              Array.from({ length: 9 }, (_, at) => ({ id: at + 1 === rank ? 'x' : `n${at}`, score: -at })),
            ],
          ],
    ),
  );
  return { name, evaluation: evaluate(run, qrels, { measures: ['RR', 'P@1', 'GMAP', 'NumRet'], complete }) };
}

const good = system('good', [1, 1, 2, 1, 1, 3, 1, 1, 2, 1, 1, 1]);
const fair = system('fair', [1, 2, 2, 3, 1, 3, 2, 1, 4, 2, 1, 2]);
const poor = system('poor', [3, 4, 2, 9, 3, 5, 7, 2, 9, 4, 3, 6]);

describe('comparing runs', () => {
  it('tests every run against every baseline, on means only', () => {
    const made = compareRuns([good, fair], [poor, fair]);
    expect(made.map(({ run, baseline, measure }) => `${run} ${baseline} ${measure}`)).toEqual([
      'good poor RR',
      'good fair RR',
      'fair poor RR',
      'good poor P@1',
      'good fair P@1',
      'fair poor P@1',
    ]);
    expect(made[0]).toMatchObject({ test: 't', n: 12, star: '***' });
    expect(made[0].difference).toBeCloseTo(
      good.evaluation.summary.get('RR')! - poor.evaluation.summary.get('RR')!,
      12,
    );
    expect(made[0].interval[0]).toBeLessThan(made[0].difference);
    expect(made[0].interval[1]).toBeGreaterThan(made[0].difference);
  });

  it('has nothing to say without a baseline, or of a run against itself', () => {
    expect(compareRuns([good], [])).toEqual([]);
    expect(compareRuns([good], [good])).toEqual([]);
  });

  it('corrects over all comparisons of a measure', () => {
    const plain = compareRuns([good, fair], [poor]);
    const bonferroni = compareRuns([good, fair], [poor], { correction: 'bonferroni' });
    bonferroni.forEach(({ p, uncorrectedP }, i) => {
      expect(uncorrectedP).toBe(plain[i].p);
      expect(p).toBeCloseTo(Math.min(1, 2 * plain[i].p), 12);
    });
    const holm = compareRuns([good, fair], [poor], { correction: 'holm' });
    expect(holm[0].p).not.toBe(bonferroni[1].p);
  });

  it('pairs the queries both runs have', () => {
    const partial = system('partial', [1, null, 2, 3, 1, null, 2, 1, 4, 2, 1, 2]);
    const [rr] = compareRuns([partial], [poor]);
    expect(rr.n).toBe(10);
    const complete = system('complete', [1, null, 2, 3, 1, null, 2, 1, 4, 2, 1, 2], true);
    expect(compareRuns([complete], [poor])[0].n).toBe(12);
  });

  it.each(['t', 'wilcoxon', 'randomisation', 'tukey'] as const)('%s finds a large difference', (test) => {
    const [comparison] = compareRuns([good, fair], [poor], { test });
    expect(comparison.test).toBe(test);
    expect(comparison.p).toBeLessThan(0.01);
    expect(comparison.p).toBeGreaterThan(0);
  });

  it("Tukey's p counts all runs of the report", () => {
    const columns = [poor, good, fair].map(({ evaluation }) => evaluation.perQuery.get('RR')!);
    const [good_, fair_] = compareRuns([good, fair], [poor], { test: 'tukey' });
    const p = tukeyHsd(columns);
    expect([good_.p, fair_.p]).toEqual([p[0][1], p[0][2]]);
  });
});
