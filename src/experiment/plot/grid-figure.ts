import type { Results } from '../results.js';
import { axes } from './axes.js';
import { linearScale, type Scale } from './scale.js';
import { element, text } from './svg.js';
import { figure, marker, polyline, seriesCount } from './theme.js';

const panelWidth = 250;
const height = 330;

/** Figure 3 of the paper: what kc and m do, a panel per measure, a line per m. */
export function gridFigure(results: Results): string | undefined {
  const { grid, measures } = results;
  if (!grid) return undefined;
  const widths = [...new Set(grid.points.map(({ chunkWords }) => chunkWords))].toSorted((a, b) => a - b);
  const counts = [...new Set(grid.points.map(({ kc }) => kc))].toSorted((a, b) => a - b);
  const shown = measures.filter(({ isCount }) => !isCount);
  const panels = shown.flatMap(({ name }, i) => {
    const frame = { left: 62 + i * panelWidth, top: 76, right: 62 + i * panelWidth + 170, bottom: 270 };
    const valueOf = (point: (typeof grid.points)[number]): number => point.evaluation.summary.get(name)!;
    const y = linearScale(grid.points.map(valueOf), [frame.bottom, frame.top], 5);
    const x = categories(counts, frame.left, frame.right);
    return [
      ...axes(frame, x, y, { x: 'kc, chunks', xTicks: counts.map(String) }),
      text(name, { x: frame.left, y: 60, 'font-weight': 600 }),
      ...widths.flatMap((width, series) => {
        const line = grid.points
          .filter(({ chunkWords }) => chunkWords === width)
          .toSorted((a, b) => a.kc - b.kc)
          .map((point) => [x(point.kc), y(valueOf(point))] as const);
        return [
          element('path', {
            d: `M${polyline(line)}`,
            class: `line${series % seriesCount}`,
            'stroke-width': 2,
          }),
          ...line.map(([px, py]) => marker(series, px, py)),
        ];
      }),
    ];
  });
  const width = 62 + shown.length * panelWidth;
  const legend = widths.flatMap((words, series) => {
    const left = width - 16 - (widths.length - series) * 78;
    return [marker(series, left, 20), text(`m = ${words}`, { x: left + 11, y: 24 })];
  });
  return figure(width, height, `${grid.of}: kc chunks of m words`, [...legend, ...panels]);
}

/** Evenly spaced places for a few values. */
function categories(values: readonly number[], left: number, right: number): Scale {
  const step = (right - left) / values.length;
  const scale = (value: number): number => left + step * (values.indexOf(value) + 0.5);
  return Object.assign(scale, { ticks: values });
}
