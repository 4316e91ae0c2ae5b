import { type Scale, tickLabels } from './scale.js';
import { element, text } from './svg.js';

/** A rectangle, such as that of the data. */
export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The labels of both axes. */
interface AxisLabels {
  readonly x?: string;
  readonly y?: string;
  /** Labels of the x ticks; without them, the numbers. */
  readonly xTicks?: readonly string[];
}

/** Rules, ticks and labels around a frame; y grows upwards. */
export function axes(
  { left, top, right, bottom }: Frame,
  x: Scale,
  y: Scale,
  labels: AxisLabels = {},
): string[] {
  const xTicks = labels.xTicks ?? tickLabels(x.ticks);
  const yTicks = tickLabels(y.ticks);
  const middle = (top + bottom) / 2;
  return [
    ...y.ticks.flatMap((tick, i) => [
      rule(left, y(tick), right, y(tick), 'rule'),
      text(yTicks[i], { x: left - 8, y: y(tick) + 4, 'text-anchor': 'end', class: 'muted' }),
    ]),
    rule(left, bottom, right, bottom, 'axis'),
    ...x.ticks.flatMap((tick, i) => [
      rule(x(tick), bottom, x(tick), bottom + 4, 'axis'),
      text(xTicks[i], { x: x(tick), y: bottom + 18, 'text-anchor': 'middle', class: 'muted' }),
    ]),
    ...(labels.x === undefined
      ? []
      : [text(labels.x, { x: (left + right) / 2, y: bottom + 38, 'text-anchor': 'middle' })]),
    ...(labels.y === undefined
      ? []
      : [
          text(labels.y, {
            x: left - 48,
            y: middle,
            'text-anchor': 'middle',
            transform: `rotate(-90 ${left - 48} ${middle})`,
          }),
        ]),
  ];
}

function rule(x1: number, y1: number, x2: number, y2: number, kind: string): string {
  return element('line', { x1, y1, x2, y2, class: kind });
}
