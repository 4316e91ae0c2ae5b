import { costFigure } from '../plot/cost-figure.js';
import { gainFigure } from '../plot/gain-figure.js';
import { gridFigure } from '../plot/grid-figure.js';
import { lossFigure } from '../plot/loss-figure.js';
import { validationMeasure } from '../../training/index.js';
import type { Results } from '../results.js';
import { tableFormats } from '../tables/formats.js';
import { gainsOf } from '../tables/gains.js';
import { toMarkdown } from '../tables/markdown.js';
import { tablesOf } from '../tables/tables.js';
import type { Table } from '../tables/table.js';
import { htmlReport } from './html.js';
import { settingsOf } from './settings.js';

/** A figure and where it stands in the report: after the table of this id. */
export interface Figure {
  readonly id: string;
  readonly after: string;
  readonly title: string;
  readonly svg: string;
}

/** All files that show the results, by path. */
export function render(results: Results): Map<string, string> {
  const tables = tablesOf(results);
  const figures = figuresOf(results);
  // Query by query is for programs; people get the figure.
  const shown = tables.filter(({ id }) => id !== 'gains');
  return new Map([
    ...tables.flatMap((table) =>
      Object.entries(tableFormats).map(
        ([extension, format]) => [`tables/${table.id}.${extension}`, format(table)] as const,
      ),
    ),
    ...figures.map(({ id, svg }) => [`figures/${id}.svg`, svg] as const),
    ['report.md', markdownReport(results, shown, figures)],
    ['report.html', htmlReport(results, shown, figures)],
  ]);
}

function figuresOf(results: Results): Figure[] {
  const grid = gridFigure(results);
  return [
    { id: 'cost-quality', after: 'variants', title: 'Cost and effectiveness', svg: costFigure(results) },
    ...(grid ? [{ id: 'grid', after: 'grid', title: 'kc and m', svg: grid }] : []),
    ...(results.trained ?? []).map(({ size, fold, history }) => ({
      id: `training-${size}-fold${fold}`,
      after: 'training',
      title: `Training ${size}, fold ${fold}`,
      svg: lossFigure(`Training ${size}, fold ${fold}`, history, validationMeasure),
    })),
    ...results.variants.map((variant) => ({
      id: `gains-${variant.id}`,
      after: 'interpolation',
      title: `${variant.name}, query by query`,
      svg: gainFigure(gainsOf(variant, results)),
    })),
  ];
}

function markdownReport(results: Results, tables: readonly Table[], figures: readonly Figure[]): string {
  const { experiment } = results;
  const sections = tables.map((table) =>
    [
      toMarkdown(table),
      ...figures
        .filter(({ after }) => after === table.id)
        .map(({ id, title }) => `![${title}](figures/${id}.svg)\n`),
    ].join('\n'),
  );
  const settings = settingsOf(results).map(([name, value]) => `- ${name}: ${value}`);
  return [`# ${experiment.title ?? experiment.name}`, '', ...settings, '', ...sections].join('\n');
}
