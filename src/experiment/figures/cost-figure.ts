import { parseMeasure } from '../../evaluation/index.js';
import type { Results, SystemResult } from '../results.js';
import { unitOf } from '../tables/tables.js';
import { publishedCell } from '../tables/values.js';
import { axes } from '../../common/plot/axes.js';
import { linearScale, logScale } from '../../common/plot/scale.js';
import { element, text } from '../../common/plot/svg.js';
import { figure, marker } from '../../common/plot/figure.js';
import { placeLabels } from './labels.js';

const width = 760;
const height = 440;
const frame = { left: 78, top: 64, right: 736, bottom: 380 };

interface Point {
  readonly label: string;
  readonly cost: number;
  readonly value: number;
  /** The series: 0 for MaxP, 1 for BERT-QE, 2 for published values. */
  readonly kind: 0 | 1 | 2;
}

/** A figure of every re-ranker's effectiveness against its cost. */
export function costFigure(results: Results): string {
  const { name: measure } = parseMeasure(results.experiment.tuning.measure);
  const unit = unitOf(results);
  const points = pointsOf(results, measure, unit.flops);
  const x = logScale(
    points.map(({ cost }) => cost),
    [frame.left, frame.right],
  );
  const y = linearScale(
    points.map(({ value }) => value),
    [frame.bottom, frame.top],
  );
  const first = initialValue(results, measure, y.ticks);
  const labels = placeLabels(
    points.map(({ label, cost, value }) => ({ label, x: x(cost), y: y(value) })),
    frame,
  );
  const kinds = ['MaxP', 'BERT-QE', 'published'].slice(0, points.some(({ kind }) => kind === 2) ? 3 : 2);
  return figure(width, height, 'Cost and effectiveness', [
    ...kinds.flatMap((name, kind) => [
      marker(kind, 470 + kind * 90, 20),
      text(name, { x: 481 + kind * 90, y: 24 }),
    ]),
    ...axes(frame, x, y, {
      x: `FLOPs per query as the paper counts them, × ${unit.name} (log scale)`,
      y: measure,
      xTicks: x.ticks.map(String),
    }),
    ...(first === undefined
      ? []
      : [
          element('line', {
            x1: frame.left,
            x2: frame.right,
            y1: y(first.value),
            y2: y(first.value),
            class: 'axis',
            'stroke-dasharray': '4 4',
          }),
          text(first.name, { x: frame.right, y: y(first.value) - 5, 'text-anchor': 'end', class: 'muted' }),
        ]),
    ...points.map(({ kind, cost, value }) => marker(kind, x(cost), y(value))),
    ...labels.map(({ label, textX, textY, anchor }) =>
      text(label, { x: textX, y: textY, 'text-anchor': anchor }),
    ),
  ]);
}

function pointsOf(results: Results, measure: string, unit: number): Point[] {
  const ofSystem =
    (kind: 0 | 1) =>
    (system: SystemResult): Point[] => {
      if (!system.reranking?.paper) return [];
      const cost = system.reranking.paper.flops / unit;
      const { value: published } = publishedCell(system.name, measure, results);
      const label = system.name.replace(/^BERT-(QE-)?/, '');
      return [
        { label, cost, kind, value: system.evaluation.summary.get(measure)! },
        ...(typeof published === 'number' ? [{ label, cost, kind: 2 as const, value: published }] : []),
      ];
    };
  return [...results.baselines.flatMap(ofSystem(0)), ...results.variants.flatMap(ofSystem(1))];
}

/** The best first stage, where its value is within the axis. */
function initialValue({ baselines }: Results, measure: string, ticks: readonly number[]) {
  const [best] = baselines
    .filter(({ reranking }) => !reranking)
    .map(({ name, evaluation }) => ({ name, value: evaluation.summary.get(measure)! }))
    .toSorted((a, b) => b.value - a.value);
  return best && best.value >= ticks[0] && best.value <= ticks.at(-1)! ? best : undefined;
}
