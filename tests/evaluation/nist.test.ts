import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readQrels, readRun } from '../../src/collection/index.js';
import {
  evaluate,
  formatTrec,
  parseMeasure,
  parseMeasures,
  type EvaluationOptions,
  type Measure,
} from '../../src/evaluation/index.js';

import { describeWithShared, sharedPath } from '../support/shared.js';

/** NIST's own test inputs and outputs of trec_eval 10.0, by the arguments it was called with. */
const runs: {
  args: string;
  qrels: string;
  results: string;
  expected: string;
  options?: EvaluationOptions;
}[] = [
  { args: '', qrels: 'qrels.test', results: 'results.test', expected: 'out.test' },
  { args: '', qrels: 'qrels.test.with-comments', results: 'results.test', expected: 'out.test' },
  { args: '', qrels: 'qrels.comment.test', results: 'results.comment.test', expected: 'out.comment.test' },
  { args: '-m all_trec', qrels: 'qrels.test', results: 'results.test', expected: 'out.test.a' },
  { args: '-m all_trec -q', qrels: 'qrels.test', results: 'results.test', expected: 'out.test.aq' },
  {
    args: '-m all_trec -q -c',
    qrels: 'qrels.test',
    results: 'results.trunc',
    expected: 'out.test.aqc',
    options: { complete: true },
  },
  {
    args: '-m all_trec -q -c -M100',
    qrels: 'qrels.test',
    results: 'results.trunc',
    expected: 'out.test.aqcM',
    options: { complete: true, depth: 100 },
  },
  {
    args: '-m all_trec -q -l2',
    qrels: 'qrels.rel_level',
    results: 'results.test',
    expected: 'out.test.aql',
    options: { relevanceLevel: 2 },
  },
  {
    args: '-q with measure parameters',
    qrels: 'qrels.test',
    results: 'results.test',
    expected: 'out.test.meas_params',
  },
];

/** Measures of trec_eval's that we do not have: experimental, obsolete, or not a measure at all. */
const notImplemented =
  /^(runid|relstring|utility|11pt_avg|Rprec_mult|binG|G|ndcg_rel|Rndcg|relative_P|set_relative_P|num_nonrel_judged_ret|rbp|rbp_resid|unj)(_[\d.,=-]+)?$|^ndcg_1=/;

function file(name: string): string {
  return sharedPath(`data/trec/trec_eval/${name}`);
}

function nameOf(line: string): string {
  return line.split('\t')[0].trim();
}

describeWithShared("NIST's test files come out byte for byte", () => {
  it.each(runs)('trec_eval $args $qrels $results', async ({ args, qrels, results, expected, options }) => {
    const lines = readFileSync(file(expected), 'utf8').split(/(?<=\n)/);
    const comparable = lines.filter((line) => !notImplemented.test(nameOf(line)));
    // The summary lists every measure once, in trec_eval's order.
    const measures: Measure[] = comparable
      .filter((line) => line.split('\t')[1] === 'all')
      .map((line) => parseMeasure(nameOf(line)));
    const evaluation = evaluate(await readRun(file(results)), await readQrels(file(qrels)), {
      measures,
      ...options,
    });
    expect(formatTrec(evaluation, { perQuery: args.includes('-q') })).toBe(comparable.join(''));
    expect(comparable.length / lines.length).toBeGreaterThan(0.5);
  });

  it('measures named "official" are what trec_eval prints, but for the tag of the run', async () => {
    const [runid, ...lines] = readFileSync(file('out.test'), 'utf8').split(/(?<=\n)/);
    expect(runid).toMatch(/^runid/);
    const measures = parseMeasures('official');
    const evaluation = evaluate(await readRun(file('results.test')), await readQrels(file('qrels.test')), {
      measures,
    });
    expect(formatTrec(evaluation)).toBe(lines.join(''));
  });
});
