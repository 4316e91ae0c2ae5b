import type { Gains } from '../tables/values.js';
import { linearScale } from '../../common/plot/scale.js';
import { axes } from '../../common/plot/axes.js';
import { element, round, text } from '../../common/plot/svg.js';
import { figure } from '../../common/plot/figure.js';

const width = 760;
const height = 300;
const frame = { left: 78, top: 56, right: 736, bottom: 262 };

/** A figure with a bar for every query's gain over the baseline, largest first. */
export function gainFigure({ system, baseline, measure, byQuery }: Gains): string {
  const sorted = byQuery.toSorted((a, b) => b.gain - a.gain);
  const y = linearScale([0, ...sorted.map(({ gain }) => gain)], [frame.bottom, frame.top]);
  const step = (frame.right - frame.left) / Math.max(1, sorted.length);
  const none = Object.assign(() => 0, { ticks: [] });
  // One path holds all bars of a sign, which keeps figures of many queries small.
  const bars = (wanted: (gain: number) => boolean): string =>
    sorted
      .map(({ gain }, i) => ({ gain, x: frame.left + i * step }))
      .filter(({ gain }) => wanted(gain))
      .map(
        ({ gain, x }) =>
          `M${round(x)} ${round(y(0))}V${round(y(gain))}h${round(step * 0.82)}V${round(y(0))}Z`,
      )
      .join('');
  const better = sorted.filter(({ gain }) => gain > 0).length;
  const worse = sorted.filter(({ gain }) => gain < 0).length;
  return figure(width, height, `${system} against ${baseline}, query by query`, [
    ...axes(frame, none, y, { y: `Δ${measure}` }),
    element('path', { d: bars((gain) => gain > 0), class: 'fill0' }),
    element('path', { d: bars((gain) => gain < 0), class: 'fill1' }),
    element('line', { x1: frame.left, x2: frame.right, y1: y(0), y2: y(0), class: 'axis' }),
    text(`${better} better, ${worse} worse, ${sorted.length - better - worse} equal`, {
      x: frame.right,
      y: frame.top - 10,
      'text-anchor': 'end',
      class: 'muted',
    }),
    text(`${sorted.length} queries, largest gain first`, {
      x: (frame.left + frame.right) / 2,
      y: frame.bottom + 24,
      'text-anchor': 'middle',
    }),
  ]);
}
