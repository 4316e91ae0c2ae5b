import { readFileSync } from 'node:fs';

interface Result {
  statistic: number;
  p: number;
}

export interface PairedCase {
  name: string;
  a: number[];
  b: number[];
  t: Result & { df: number };
  interval: [number, number];
  cohensD: number;
  wilcoxon: Result;
  randomisation: Result | null;
}

interface Fixture {
  paired: PairedCase[];
  corrections: { p: number[]; holm: number[]; bonferroni: number[] }[];
  studentT: { t: number; df: number; p: number }[];
  normal: { z: number; p: number }[];
  studentisedRange: { q: number; groups: number; df: number; scipy: number; quadrature: number }[];
  tukey: { systems: number[][]; blocked: number[][] }[];
}

/** Answers of scipy and statsmodels; made by scripts/fixtures/evaluation/significance.py. */
export const scipy = JSON.parse(
  readFileSync(new URL('../../fixtures/evaluation/significance.json', import.meta.url), 'utf8'),
) as Fixture;
