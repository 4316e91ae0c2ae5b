import { axes } from '../common/plot/axes.js';
import { linearScale } from '../common/plot/scale.js';
import { element, polyline, text } from '../common/plot/svg.js';
import { bestOf, type History, type Measure } from './history.js';
import { figure, marker } from '../common/plot/figure.js';

const width = 760;
const frame = { left: 78, right: 736 };
const panelHeight = 190;
const gap = 62;

/** A figure of a training: the loss of every step and, below it, the values on the validation queries. */
export function lossFigure(title: string, { steps, validations }: History, measure: Measure): string {
  const last = Math.max(steps.at(-1)?.step ?? 1, validations.at(-1)?.step ?? 0);
  const x = linearScale([0, last], [frame.left, frame.right]);
  const losses = { ...frame, top: 56, bottom: 56 + panelHeight };
  const y = linearScale([0, ...steps.map(({ loss }) => loss)], [losses.bottom, losses.top]);
  const curve = steps.map(({ step, loss }) => [x(step), y(loss)] as const);
  const content = [
    ...axes(losses, x, y, { y: 'loss', ...(validations.length === 0 ? { x: 'step' } : {}) }),
    element('path', { d: `M${polyline(curve)}`, class: 'line0', 'stroke-width': 1.5 }),
  ];
  if (validations.length === 0) return figure(width, losses.bottom + 56, title, content);
  const values = { ...frame, top: losses.bottom + gap, bottom: losses.bottom + gap + panelHeight };
  const v = linearScale(
    validations.map(({ value }) => value),
    [values.bottom, values.top],
  );
  const points = validations.map(({ step, value }) => [x(step), v(value)] as const);
  const best = bestOf(validations, measure)!;
  return figure(width, values.bottom + 56, title, [
    ...content,
    ...axes(values, x, v, { x: 'step', y: measure }),
    element('path', { d: `M${polyline(points)}`, class: 'line1', 'stroke-width': 1.5 }),
    ...points.map(([px, py]) => marker(1, px, py)),
    text(`best after step ${best.step}: ${best.value.toFixed(4)}`, {
      x: frame.right,
      y: values.top - 10,
      'text-anchor': 'end',
      class: 'muted',
    }),
  ]);
}
