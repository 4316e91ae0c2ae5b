import { costFigure } from '../figures/cost-figure.js';
import { gainFigure } from '../figures/gain-figure.js';
import { gridFigure } from '../figures/grid-figure.js';
import { lossFigure, validationMeasure } from '../../training/index.js';
import type { Results } from '../results.js';
import { tableFormats, toMarkdown } from '../../common/table/formats.js';
import { gainsOf } from '../tables/values.js';
import { tablesOf } from '../tables/tables.js';
import type { Table } from '../../common/table/table.js';
import { htmlReport } from './html.js';
import { reportSettings, type Figure, type Report } from './report.js';

/** The files of an experiment's results, by path. */
export function render(results: Results): Map<string, string> {
  const tables = tablesOf(results);
  const figures = figuresOf(results);
  const { title, name } = results.experiment;
  return renderReport(
    {
      title: title ?? name,
      settings: reportSettings(results),
      // The report shows the gains of single queries as a figure.
      tables: tables.filter(({ id }) => id !== 'gains'),
      figures,
    },
    tables,
  );
}

/** The files of a report, its figures and all tables in every format, by path. */
export function renderReport(report: Report, tables: readonly Table[]): Map<string, string> {
  return new Map([
    ...tables.flatMap((table) =>
      Object.entries(tableFormats).map(
        ([extension, format]) => [`tables/${table.id}.${extension}`, format(table)] as const,
      ),
    ),
    ...report.figures.map(({ id, svg }) => [`figures/${id}.svg`, svg] as const),
    ['report.md', markdownReport(report)],
    ['report.html', htmlReport(report)],
  ]);
}

function figuresOf(results: Results): Figure[] {
  const grid = gridFigure(results);
  return [
    { id: 'cost-quality', after: 'variants', title: 'Cost and effectiveness', svg: costFigure(results) },
    ...(grid ? [{ id: 'grid', after: 'grid', title: 'kc and m', svg: grid }] : []),
    ...(results.trained ?? []).map(({ target, fold, history }) => ({
      id: `training-${target}-fold${fold}`,
      after: 'training',
      title: `Training ${target}, fold ${fold}`,
      svg: lossFigure(`Training ${target}, fold ${fold}`, history, validationMeasure),
    })),
    ...results.variants.map((variant) => ({
      id: `gains-${variant.id}`,
      after: 'interpolation',
      title: `${variant.name}, query by query`,
      svg: gainFigure(gainsOf(variant, results)),
    })),
  ];
}

function markdownReport({ title, settings, tables, figures }: Report): string {
  const sections = tables.map((table) =>
    [
      toMarkdown(table),
      ...figures
        .filter(({ after }) => after === table.id)
        .map((figure) => `![${figure.title}](figures/${figure.id}.svg)\n`),
    ].join('\n'),
  );
  const head = settings.map(([name, value]) => `- ${name}: ${value}`);
  return [`# ${title}`, '', ...head, '', ...sections].join('\n');
}
