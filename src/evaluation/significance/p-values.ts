/** The paper's marks: *** p < .01, ** p < .05, * p < .1. */
export type Star = '' | '*' | '**' | '***';

export const STAR_LEGEND = '*** p < .01, ** p < .05, * p < .1';

export function starOf(p: number): Star {
  if (p < 0.01) return '***';
  if (p < 0.05) return '**';
  return p < 0.1 ? '*' : '';
}

/** Corrections of the p-values of several tests made at once. */
export type Correction = 'none' | 'holm' | 'bonferroni';

export const correctionTitles = { holm: 'Holm', bonferroni: 'Bonferroni' } as const;

/** Corrected p-values in the order given; tests that could not be made (NaN) stay so and do not count. */
export function correct(pValues: readonly number[], correction: Correction): number[] {
  if (correction === 'none') return [...pValues];
  const made = pValues.map((p, i) => ({ p, i })).filter(({ p }) => !Number.isNaN(p));
  const corrected = [...pValues];
  made.sort((a, b) => a.p - b.p);
  let floor = 0;
  made.forEach(({ p, i }, rank) => {
    // Holm (1979) steps down: the smallest p is multiplied by the number of tests, the next by one less, …
    const tests = correction === 'holm' ? made.length - rank : made.length;
    floor = Math.max(floor, Math.min(1, p * tests));
    corrected[i] = floor;
  });
  return corrected;
}
