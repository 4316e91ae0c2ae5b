import { parseMeasure } from '../../evaluation/index.js';
import type { Results, SystemResult } from '../results.js';

/** What a system gains over the baseline, query by query. */
export interface Gains {
  readonly system: string;
  readonly baseline: string;
  readonly measure: string;
  readonly byQuery: readonly { readonly query: string; readonly gain: number }[];
}

/** By the measure that was tuned for, over the first of the baselines that systems are tested against. */
export function gainsOf({ name, evaluation }: SystemResult, { experiment, against }: Results): Gains {
  const { name: measure } = parseMeasure(experiment.tuning.measure);
  const [baseline] = against;
  const [ours, theirs] = [evaluation, baseline.evaluation].map(({ perQuery }) => perQuery.get(measure)!);
  return {
    system: name,
    baseline: baseline.name,
    measure,
    byQuery: evaluation.queries.map((query, i) => ({ query, gain: ours[i] - theirs[i] })),
  };
}
