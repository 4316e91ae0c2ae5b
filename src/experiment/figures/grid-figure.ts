import type { Results, SystemResult } from '../results.js';
import { axes } from '../../common/plot/axes.js';
import { linearScale, type Scale } from '../../common/plot/scale.js';
import { element, polyline, text } from '../../common/plot/svg.js';
import { figure, marker, seriesCount } from '../../common/plot/figure.js';

const panelWidth = 250;
const height = 330;

/** Figure 3 of the paper: values by kc and m, with a panel per measure and a line per m. */
export function gridFigure({ grid, measures }: Results): string | undefined {
  if (!grid) return undefined;
  const names = measures.filter(({ isCount }) => !isCount).map(({ name }) => name);
  const { points } = grid;
  const widths = [...new Set(points.map(({ chunkWords }) => chunkWords))].toSorted((a, b) => a - b);
  const counts = [...new Set(points.map(({ kc }) => kc))].toSorted((a, b) => a - b);
  const panels = names.flatMap((name, i) => {
    const frame = { left: 62 + i * panelWidth, top: 76, right: 62 + i * panelWidth + 170, bottom: 270 };
    const valueOf = ({ evaluation }: SystemResult): number => evaluation.summary.get(name)!;
    const y = linearScale(points.map(valueOf), [frame.bottom, frame.top], 5);
    const x = categories(counts, frame.left, frame.right);
    return [
      ...axes(frame, x, y, { x: 'kc, chunks', xTicks: counts.map(String) }),
      text(name, { x: frame.left, y: 60, 'font-weight': 600 }),
      ...widths.flatMap((width, series) => {
        const line = points
          .filter(({ chunkWords }) => chunkWords === width)
          .toSorted((a, b) => a.kc - b.kc)
          .map((point) => [x(point.kc), y(valueOf(point))] as const);
        const colour = `line${series % seriesCount}`;
        return [
          element('path', { d: `M${polyline(line)}`, class: colour, 'stroke-width': 2 }),
          ...line.map(([px, py]) => marker(series, px, py)),
        ];
      }),
    ];
  });
  const width = 62 + names.length * panelWidth;
  const legend = widths.flatMap((words, series) => {
    const left = width - 16 - (widths.length - series) * 78;
    return [marker(series, left, 20), text(`m = ${words}`, { x: left + 11, y: 24 })];
  });
  return figure(width, height, `${grid.of}: kc chunks of m words`, [...legend, ...panels]);
}

/** An axis of evenly spaced values. */
function categories(values: readonly number[], left: number, right: number): Scale {
  const step = (right - left) / values.length;
  const scale = (value: number): number => left + step * (values.indexOf(value) + 0.5);
  return Object.assign(scale, { ticks: values });
}
