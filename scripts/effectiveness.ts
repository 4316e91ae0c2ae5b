// node --import tsx scripts/effectiveness.ts "HEADING=STUDY_FOLDER"… [--grid STUDY_FOLDER]
// Writes docs/effectiveness.md from the results of studies (`bert-qe experiment experiments/open.yaml --out STUDY_FOLDER`);
// --grid names the study whose kc × m grid is shown, as a mean over its collections.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drawGrid, type GridValues } from '../src/experiment/plot/grid-figure.js';

type Cell = number | string | null;
interface Table {
  readonly title: string;
  readonly rows: readonly Readonly<Record<string, Cell>>[];
  readonly notes: readonly string[];
}

const root = fileURLToPath(new URL('..', import.meta.url));

function table(folder: string, id: string): Table {
  return JSON.parse(readFileSync(join(folder, 'tables', `${id}.json`), 'utf8')) as Table;
}

/** The same table as Markdown, without its title. */
function markdown(folder: string, id: string): string {
  const text = readFileSync(join(folder, 'tables', `${id}.md`), 'utf8');
  return text.replace(/^\*\*.*\*\*\n/, '').trim();
}

/** What is read first: the measures, then who is above whom, then the cost. */
const order = ['ndcg', 'p-', 'ap-', 'against', 'cost', 'seconds'];
const placeOf = (id: string) => order.findIndex((beginning) => id.startsWith(beginning));

const figure = (value: number) => value.toFixed(4).replace(/^(-?)0/, '$1');

/** Names, or "none". */
const list = (names: readonly string[]) => (names.length > 0 ? names.join(', ') : 'none');

/** Collections in the order of the study. */
const collectionsOf = ({ rows }: Table): string[] =>
  Object.keys(rows[0]!).filter((name) => name !== 'Model' && name !== 'Mean' && !name.endsWith(' marks'));

/**
 * One sentence per variant: in which collections nDCG@20 is above its re-ranker, and where the difference is
 * significant. `sign` is the letter under which the re-ranker stands in the marks of the table.
 */
function verdict(ndcg: Table, variant: string, reranker: string, sign: string): string {
  const row = ndcg.rows.find(({ Model }) => Model === variant)!;
  const base = ndcg.rows.find(({ Model }) => Model === reranker)!;
  const collections = collectionsOf(ndcg);
  const gain = (name: string) => Number(row[name]) - Number(base[name]);
  const marked = (name: string) => new RegExp(`${sign}↓?\\*{2,3}`).test(String(row[`${name} marks`] ?? ''));
  const above = collections.filter((name) => gain(name) > 0);
  const below = collections.filter((name) => gain(name) < 0);
  const mean = Number(row.Mean) - Number(base.Mean);
  return (
    `- **${variant} over ${reranker}**: ${collections.map((name) => `${name} ${signed(gain(name))}`).join(', ')}; mean ${signed(mean)}. ` +
    `Above on ${above.length} of ${collections.length}, significantly (p < .05) on: ${list(above.filter(marked))}. ` +
    `Significantly below on: ${list(below.filter(marked))}.`
  );
}

const signed = (value: number) => `${value < 0 ? '−' : '+'}${figure(Math.abs(value))}`;

function section(heading: string, folder: string): string[] {
  const ids = readdirSync(join(folder, 'tables'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -3))
    .sort((a, b) => placeOf(a) - placeOf(b));
  const ndcg = table(folder, 'ndcg-20');
  const signs = signsOf(ndcg);
  const verdicts = ndcg.rows
    .map(({ Model }) => String(Model))
    .filter((name) => /^BERT-QE-[TSMBL]{3}$/.test(name))
    .flatMap((name) => {
      const reranker = { T: 'BERT-Tiny', S: 'BERT-Small' }[name.at(-3)!];
      const sign = reranker && signs.get(reranker);
      return reranker && sign ? [verdict(ndcg, name, reranker, sign)] : [];
    });
  return [
    `## ${heading}`,
    '',
    '**Does expansion beat the re-ranker?** (nDCG@20)',
    '',
    ...verdicts,
    '',
    ...ids.flatMap((id) => [`### ${table(folder, id).title}`, '', markdown(folder, id), '']),
  ];
}

/** Which letter stands for which baseline, as the note under the table says: "Against DPH+KL (a), BERT-Small (b): …". */
function signsOf({ notes }: Table): Map<string, string> {
  const found = [...notes.join(' ').matchAll(/([\w+-]+) \(([a-z])\)/g)];
  return new Map(found.map(([, name, sign]) => [name, sign]));
}

/** A row of a Markdown table. */
const cells = (values: readonly (string | number)[]) => `| ${values.join(' | ')} |`;

const GRID_FIGURE = 'images/effectiveness-grid.svg';

/** What kc and m give: the figure with the mean over collections, and nDCG@20 of each. */
function gridSection(folder: string): string[] {
  const collections = collectionsOf(table(folder, 'ndcg-20'));
  const tables = collections.map((name) => table(join(folder, name), 'grid'));
  const points = tables[0]!.rows.map((first, i): GridValues => {
    const measures = Object.keys(first).filter((name) => name !== 'kc' && name !== 'm');
    const mean = (name: string) =>
      tables.reduce((sum, { rows }) => sum + Number(rows[i]![name]), 0) / tables.length;
    return {
      kc: Number(first.kc),
      chunkWords: Number(first.m),
      values: new Map(measures.map((name) => [name, mean(name)])),
    };
  });
  const measures = [...points[0]!.values.keys()];
  writeFileSync(
    join(root, 'docs', GRID_FIGURE),
    drawGrid('BERT-QE-SST: kc chunks of m words, mean over collections', measures, points),
  );
  return [
    '## The number of chunks kc and their words m',
    '',
    `Zero-shot, the first 100 of DPH+KL, BERT-QE-SST, α .15, β .95; figure 3 of the paper. kc 5 and m 50 were chosen on development sets, before.`,
    '',
    `![Measures by kc and m, mean over the collections](${GRID_FIGURE})`,
    '',
    'nDCG@20:',
    '',
    cells(['kc', 'm', ...collections, 'Mean']),
    cells([':---', '---:', ...collections.map(() => '---:'), '---:']),
    ...points.map(({ kc, chunkWords, values }, i) =>
      cells([
        kc,
        chunkWords,
        ...tables.map(({ rows }) => Number(rows[i]!['nDCG@20']).toFixed(4)),
        values.get('nDCG@20')!.toFixed(4),
      ]),
    ),
    '',
  ];
}

const { values: options, positionals } = parseArgs({
  options: { grid: { type: 'string' } },
  allowPositionals: true,
});
const studies = positionals.map((argument) => {
  const at = argument.lastIndexOf('=');
  return { heading: argument.slice(0, at), folder: argument.slice(at + 1) };
});
if (studies.length === 0) throw new Error('Name at least one study: "HEADING=FOLDER".');

const text = [
  '# What re-ranking and expansion are worth, on open collections',
  '',
  'Written by `scripts/effectiveness.ts` from what `bert-qe experiment` gives for `experiments/open.yaml` and `experiments/open-deep.yaml`, with the models that come with the package. ' +
    'None of the five collections had a part in making the models or in choosing α, β, kc and m ([models.md](models.md), section 14); queries and judgements as they were published. ' +
    'MaxP is the row of a model alone (BERT-Tiny, BERT-Small), interpolated with the initial ranking as BERT-QE is.',
  '',
  ...studies.flatMap(({ heading, folder }) => section(heading, folder)),
  ...(options.grid === undefined ? [] : gridSection(options.grid)),
].join('\n');
writeFileSync(join(root, 'docs/effectiveness.md'), `${text.trimEnd()}\n`);
