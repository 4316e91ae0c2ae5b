/** How p-values of several tests made at once are corrected. */
export type Correction = 'none' | 'holm' | 'bonferroni';

/** Corrected p-values in the order given; tests that could not be made (NaN) stay so and do not count. */
export function correct(pValues: readonly number[], correction: Correction): number[] {
  if (correction === 'none') return [...pValues];
  const made = pValues.map((p, i) => ({ p, i })).filter(({ p }) => !Number.isNaN(p));
  const corrected = [...pValues];
  made.sort((a, b) => a.p - b.p);
  let floor = 0;
  made.forEach(({ p, i }, rank) => {
    // Holm (1979) steps down: the smallest p is held against all tests, the next against the rest, …
    const tests = correction === 'holm' ? made.length - rank : made.length;
    floor = Math.max(floor, Math.min(1, p * tests));
    corrected[i] = floor;
  });
  return corrected;
}
