import { figure } from '../../src/common/plot/figure.js';
import { element, text } from '../../src/common/plot/svg.js';
import { BertQeError } from '../../src/common/errors.js';

/** A table of a page that is drawn as bars above it. */
interface Plot {
  /** The page, relative to the repository. */
  readonly file: string;
  readonly title: string;
  /** The columns whose cells name a row; rows that share the first one share a scale. */
  readonly labels: readonly string[];
  /** The columns that are drawn. */
  readonly values: readonly string[];
}

/** The benchmarks that show a comparison. */
const plots: readonly Plot[] = [
  {
    file: 'docs/benchmarks.md',
    title: 'Documents indexed per second, one thread',
    labels: ['collection', 'system'],
    values: ['documents/s'],
  },
  {
    file: 'docs/benchmarks-scoring.md',
    title: 'Pairs scored per second on two cores',
    labels: ['model', 'system', 'precision'],
    values: ['pairs/s'],
  },
  {
    file: 'docs/benchmarks-serving.md',
    title: 'Documents scored per second by a server',
    labels: ['model', 'clients'],
    values: ['bert-qe', 'Transformers.js'],
  },
  {
    file: 'docs/browser.md',
    title: 'Pairs scored per second in Chromium',
    labels: ['model, page'],
    values: ['bert-qe', 'Transformers.js, fp32'],
  },
];

interface Bar {
  readonly group: string;
  readonly label: string;
  readonly shown: string;
  readonly value: number;
  readonly isOurs: boolean;
}

/** A page's text with its plots put in above their tables, and the files of the plots by their addresses. */
export function withPlots(
  file: string,
  page: string,
): { readonly text: string; readonly files: Map<string, string> } {
  const files = new Map<string, string>();
  let lines = page.split('\n');
  for (const [i, plot] of plots.filter((one) => one.file === file).entries()) {
    const columns = [...plot.labels, ...plot.values];
    const at = lines.findIndex(
      (line) => line.startsWith('|') && columns.every((name) => cells(line).includes(name)),
    );
    if (at === -1)
      throw new BertQeError(
        'input',
        `${file}: no table has the columns ${columns.join(', ')} (scripts/site/plots.ts).`,
      );
    const end = lines.findIndex((line, row) => row > at && !line.startsWith('|'));
    const bars = barsOf(plot, cells(lines[at]), lines.slice(at + 2, end === -1 ? undefined : end).map(cells));
    const name = `${file.replace(/^docs\/|\.md$/g, '')}-${i + 1}.svg`;
    files.set(`docs/plots/${name}`, drawn(plot, bars));
    lines = [...lines.slice(0, at), `![${plot.title}](plots/${name})`, '', ...lines.slice(at)];
  }
  return { text: lines.join('\n'), files };
}

function cells(line: string): string[] {
  return line
    .replaceAll('**', '')
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function barsOf({ labels, values }: Plot, header: readonly string[], rows: readonly string[][]): Bar[] {
  return rows.flatMap((row) => {
    const cellOf = (name: string): string => row[header.indexOf(name)];
    const named = labels.map((name) =>
      /^\d+$/.test(cellOf(name)) ? `${name} ${cellOf(name)}` : cellOf(name),
    );
    return values.flatMap((name, i) => {
      // Shares of another column, in brackets, are not drawn.
      const shown = cellOf(name).replace(/ \([^)]*%\)/, '');
      const value = Number.parseFloat(shown.replaceAll(',', ''));
      if (Number.isNaN(value)) return [];
      const system = values.length > 1 ? [name] : [];
      // Several columns have the row's name at the first of them.
      const all = [...(i === 0 ? named : []), ...system];
      return {
        group: values.length > 1 ? named.join(', ') : named[0],
        label: all.join(', '),
        shown,
        value,
        isOurs: all.includes('bert-qe'),
      };
    });
  });
}

const rowHeight = 20;
const gap = 8;
const width = 640;
const labelWidth = 270;
const longest = 240;

/** Bars below each other; those of a group share a scale. */
function drawn({ title }: Plot, bars: readonly Bar[]): string {
  let y = 44;
  const content: string[] = [];
  for (const [i, bar] of bars.entries()) {
    if (i > 0 && bar.group !== bars[i - 1].group) y += gap;
    const most = Math.max(...bars.filter(({ group }) => group === bar.group).map(({ value }) => value));
    const length = (longest * bar.value) / most;
    const middle = y + rowHeight / 2 + 4;
    content.push(
      text(bar.label, {
        x: labelWidth - 8,
        y: middle,
        'text-anchor': 'end',
        class: bar.isOurs ? undefined : 'muted',
      }),
      element('rect', {
        class: bar.isOurs ? 'fill0' : 'fill5',
        x: labelWidth,
        y: y + 3,
        width: length,
        height: rowHeight - 6,
        rx: 2,
      }),
      text(bar.shown, { x: labelWidth + length + 6, y: middle }),
    );
    y += rowHeight;
  }
  return figure(width, y + 12, title, content);
}
