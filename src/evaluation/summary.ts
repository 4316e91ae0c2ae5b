import type { Summary } from './measures/measure.js';

/** A value of zero would make every geometric mean zero; trec_eval takes this instead. */
const SMALLEST_FACTOR = 0.00001;

/** Turns one value per query into the value of a run. */
export function summarise(values: Float64Array, summary: Summary): number {
  switch (summary) {
    case 'sum':
      return sum(values);
    case 'mean':
      return sum(values) / values.length;
    case 'geometric-mean':
      return Math.exp(sum(values.map((value) => Math.log(Math.max(value, SMALLEST_FACTOR)))) / values.length);
  }
}

/** From first to last, as trec_eval adds: another order may differ in the last digit. */
function sum(values: Float64Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
