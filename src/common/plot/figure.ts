import { element, polygon, text } from './svg.js';

/** Series colours that are distinct to colour-blind readers: on a light and on a dark background. */
const series = [
  ['#0072b2', '#5bb5ec'],
  ['#d55e00', '#ff9a4d'],
  ['#00835f', '#3fcf9f'],
  ['#b04a86', '#e695c4'],
  ['#9a6a00', '#e8b84a'],
  ['#555e6d', '#aab3c2'],
] as const;

/** The number of series colours; further series begin again. */
export const seriesCount = series.length;

/** The style sheet of a figure. It uses class names, so that several figures on one page share it. */
const style = [
  '.bq{font:12px system-ui,-apple-system,"Segoe UI",sans-serif}',
  ruleSet(0),
  `@media (prefers-color-scheme:dark){${ruleSet(1)}}`,
].join('');

function ruleSet(shade: 0 | 1): string {
  const [paper, ink, muted, rule] = [
    ['#ffffff', '#1d2330', '#596273', '#dfe3ea'],
    ['#14181f', '#e8ebf1', '#a2abba', '#303845'],
  ][shade];
  return [
    `.bq .paper{fill:${paper}}`,
    `.bq text{fill:${ink}}`,
    `.bq .muted{fill:${muted}}`,
    `.bq .rule{stroke:${rule}}`,
    `.bq .axis{stroke:${muted}}`,
    ...series.map(
      (shades, i) => `.bq .line${i}{stroke:${shades[shade]};fill:none}.bq .fill${i}{fill:${shades[shade]}}`,
    ),
    // A ring in the background colour separates a marker from its line.
    `.bq .ring{stroke:${paper}}`,
  ].join('');
}

/** A complete SVG figure with its own style, background and description. */
export function figure(width: number, height: number, title: string, content: readonly string[]): string {
  return `${element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      class: 'bq',
      role: 'img',
      'aria-label': title,
    },
    `<style>${style}</style>`,
    element('rect', { class: 'paper', width, height }),
    text(title, { x: 16, y: 24, 'font-size': 14, 'font-weight': 600 }),
    ...content,
  )}\n`;
}

/** A data point's marker: circle, triangle, square or diamond, so that series differ without colour. */
export function marker(kind: number, x: number, y: number): string {
  const shared = { class: `fill${kind % seriesCount} ring`, 'stroke-width': '1.5' };
  const r = 5;
  const [top, right, bottom, left] = [y - r - 1, x + r + 1, y + r + 1, x - r - 1];
  const path = (...points: [number, number][]) => element('path', { d: polygon(points), ...shared });
  switch (kind % 4) {
    case 0:
      return element('circle', { cx: x, cy: y, r, ...shared });
    case 1:
      return path([x, top], [right, y + r], [left, y + r]);
    case 2:
      return element('rect', {
        x: x - r + 0.5,
        y: y - r + 0.5,
        width: 2 * r - 1,
        height: 2 * r - 1,
        ...shared,
      });
    default:
      return path([x, top], [right, y], [x, bottom], [left, y]);
  }
}
