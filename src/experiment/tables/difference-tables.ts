import { parseVariant } from '../../expansion/index.js';
import {
  compareRuns,
  correct,
  formatFixed,
  poolEvaluations,
  summaryCell,
  testTitles,
  type Comparison,
  type Evaluation,
  type Measure,
} from '../../evaluation/index.js';
import { noValue, type Cell, type Row, type Table } from '../../common/table/table.js';
import { parseFirstStage } from '../file/system-names.js';
import type { Results, SystemResult } from '../results.js';
import { plainCell } from './values.js';

/** Collections of a study whose queries are also taken together, by the name of the whole. */
export type Together = Readonly<Record<string, readonly string[]>>;

/** A system, and the one that it adds a part of the method to; an ablation takes it away. */
interface Pair {
  readonly system: SystemResult;
  readonly reference: SystemResult;
  readonly title: string;
}

/** MaxP over the initial ranking, variants over MaxP of their phase one, ablations over their variant. */
function pairsOf({ experiment, baselines, variants, ablations }: Results): Pair[] {
  const { initial } = experiment;
  const first = typeof initial === 'string' ? parseFirstStage(initial)!.name : initial.name;
  const maxP = baselines.filter(({ reranking }) => reranking?.paper);
  const pairs = [
    ...maxP.map((system) => [system, baselines.find(({ name }) => name === first)] as const),
    ...variants.map(
      (system) => [system, maxP.find((each) => phaseOneOf(each) === phaseOneOf(system))] as const,
    ),
    ...(ablations?.systems.map((system) => [system, ablations.of] as const) ?? []),
  ];
  return pairs.flatMap(([system, reference]) => {
    if (!reference) return [];
    // The first stages of collections have different names.
    const words = [system.name, reference.name].map((name) => name.replace(first, 'the initial ranking'));
    return [{ system, reference, title: words.join(' over ') }];
  });
}

function phaseOneOf({ name }: SystemResult): string {
  return parseVariant(name).phaseOne;
}

/** The gain of each part of the method, in one experiment. */
export function differenceTable(results: Results): Table {
  const pairs = pairsOf(results);
  return {
    id: 'differences',
    title: 'What each part adds',
    columns: ['Models', 'Measure', ...columns],
    groups: meansOf(results).map((measure) =>
      pairs.map(({ system, reference, title }) => {
        const comparison = compare(system.evaluation, reference.evaluation, measure, results);
        return { label: title, cells: [plainCell(measure.name), ...cellsOf(comparison)] };
      }),
    ),
    notes: [noteOf(results)],
  };
}

/** The same for a study: a table per pair, a row per collection, and rows for collections taken together. */
export function differenceTables(study: ReadonlyMap<string, Results>, together: Together = {}): Table[] {
  const [first] = study.values();
  const pairs = [...study].flatMap(([collection, results]) =>
    pairsOf(results).map((pair) => ({ ...pair, collection })),
  );
  return [...new Set(pairs.map(({ title }) => title))].map((title) => {
    const own = pairs.filter((pair) => pair.title === title);
    const compared = [
      ...own.map(({ collection, system, reference }) => ({
        label: collection,
        evaluations: [system.evaluation, reference.evaluation] as const,
      })),
      ...Object.entries(together).flatMap(([label, names]) => {
        const parts = names.flatMap((name) => own.filter(({ collection }) => collection === name));
        if (parts.length < names.length) return [];
        const pool = (side: 'system' | 'reference'): Evaluation =>
          poolEvaluations(new Map(parts.map((part) => [part.collection, part[side].evaluation])));
        return [{ label, evaluations: [pool('system'), pool('reference')] as const }];
      }),
    ];
    const notes: string[] = [];
    const groups = meansOf(first).map((measure) => {
      const made = compared.map(({ evaluations: [system, reference] }) =>
        compare(system, reference, measure, first),
      );
      const single = made.slice(0, own.length);
      const corrected = correct(
        single.map(({ p }) => p),
        'holm',
      );
      notes.push(`${measure.name}: ${countsOf(single, corrected)}.`);
      return compared.map(({ label, evaluations }, i): Row => {
        const values = evaluations.map((evaluation) => summaryCell(measure, evaluation));
        const holm = i < own.length ? pCell(corrected[i]) : noValue;
        return { label, cells: [plainCell(measure.name), ...values.toReversed(), ...cellsOf(made[i]), holm] };
      });
    });
    return {
      id: `difference-${own[0].system.id.toLowerCase()}`,
      title,
      columns: ['Collection', 'Measure', 'Without', 'With', ...columns, 'p (Holm)'],
      groups,
      notes: [...notes, `${noteOf(first)} Holm: over the collections, measure by measure.`],
    };
  });
}

function meansOf({ measures }: Results): Measure[] {
  return measures.filter(({ summary }) => summary === 'mean');
}

function compare(
  system: Evaluation,
  reference: Evaluation,
  { name }: Measure,
  { experiment }: Results,
): Comparison {
  const { test } = experiment.significance;
  const named = [system, reference].map((evaluation, i) => [{ name: String(i), evaluation }]);
  return compareRuns(named[0], named[1], { test }).find(({ measure }) => measure === name)!;
}

const columns = ['Queries', 'Difference', 'From', 'To', 'd', 'p'];

function cellsOf({ n, difference, interval, effectSize, p }: Comparison): Cell[] {
  return [
    plainCell(n),
    ...[difference, ...interval].map((value) => numberCell(value, 4)),
    numberCell(effectSize, 2),
    pCell(p),
  ];
}

function numberCell(value: number, digits: number): Cell {
  if (Number.isNaN(value)) return noValue;
  return { text: `${value < 0 ? '−' : '+'}${formatFixed(Math.abs(value), digits)}`, value };
}

function pCell(p: number): Cell {
  if (Number.isNaN(p)) return noValue;
  return { text: p < 0.0001 ? '< .0001' : formatFixed(p, 4).replace(/^0/, ''), value: p };
}

/** The numbers of collections with a difference above 0, significantly so, and so after Holm's correction; then below. */
function countsOf(made: readonly Comparison[], corrected: readonly number[]): string {
  const side = (sign: number): string => {
    const there = made.flatMap(({ difference, p }, i) =>
      Math.sign(difference) === sign ? [{ p, holm: corrected[i] }] : [],
    );
    const significant = there.filter(({ p }) => p < 0.05).length;
    return `${there.length} (${significant}, ${there.filter(({ holm }) => holm < 0.05).length} after Holm)`;
  };
  return `above on ${side(1)} of ${made.length} collections, below on ${side(-1)}`;
}

function noteOf({ experiment }: Results): string {
  const test = testTitles[experiment.significance.test];
  return `From, to: the 95 % confidence interval of the difference. d: the mean difference in standard deviations. p: ${test}.`;
}
