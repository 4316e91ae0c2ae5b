// node --import tsx scripts/effectiveness.ts "HEADING=STUDY_FOLDER"… [--grid STUDY_FOLDER] [--seconds STUDY_FOLDER]
// Writes docs/effectiveness.md from the results of studies (`bert-qe experiment experiments/open.yaml --out STUDY_FOLDER`);
// --grid names the study whose kc × m grid is shown, as a mean over its collections; --seconds the one whose seconds are, of
// few queries on a quiet machine (scripts/sample-queries.ts). A folder that holds the collections of a
// study but not the study's own tables (they may have been run on different machines) is put together here.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drawGrid, type GridValues } from '../src/experiment/figures/grid-figure.js';

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

/** The order of the columns: measures, comparisons, cost. */
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

/** A study's tables as they are shown, the one for nDCG@20 among them. */
interface Shown {
  readonly ndcg: Table;
  readonly tables: readonly { readonly title: string; readonly text: string }[];
}

function tablesOf(folder: string): Shown {
  const ids = readdirSync(join(folder, 'tables'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -3))
    .sort((a, b) => placeOf(a) - placeOf(b));
  return {
    ndcg: table(folder, 'ndcg-20'),
    tables: ids.map((id) => ({ title: table(folder, id).title, text: markdown(folder, id) })),
  };
}

/** Collections in the order of the tables above, as far as the folder holds them. */
const COLLECTIONS = ['cranfield', 'cisi', 'npl', 'cacm', 'scifact'];

/** The tables of measures that a study of these collections would have. */
function joined(folder: string): Shown {
  const names = COLLECTIONS.filter((name) => existsSync(join(folder, name, 'tables')));
  const mains = names.map((name) => table(join(folder, name), 'main'));
  const [first] = mains;
  const measures = ['nDCG@20', 'P@20', 'AP@100', 'AP@1000'];
  const notes = first!.notes.map((note) => note.replace(/ over \d+ queries/, ''));
  const tables = measures.map((measure): Table => {
    const rows = first!.rows.map(({ Model }) => {
      const own = mains.map(({ rows: all }) => all.find((row) => row.Model === Model)!);
      const values = own.flatMap((row, i) => [
        [names[i]!, row[measure]!],
        ...(row[`${measure} marks`] ? [[`${names[i]!} marks`, row[`${measure} marks`]!]] : []),
      ]);
      const mean = own.reduce((sum, row) => sum + Number(row[measure]), 0) / own.length;
      return { Model: Model!, ...Object.fromEntries(values), Mean: mean };
    });
    return { title: measure, rows, notes };
  });
  return { ndcg: tables[0]!, tables: tables.map((each) => ({ title: each.title, text: rendered(each) })) };
}

function rendered(shown: Table): string {
  const columns = [...collectionsOf(shown), 'Mean'];
  const text = (row: Table['rows'][number], name: string) =>
    `${Number(row[name]).toFixed(4)} ${String(row[`${name} marks`] ?? '')}`.trim().replaceAll('*', '\\*');
  return [
    cells(['Model', ...columns]),
    cells([':---', ...columns.map(() => '---:')]),
    ...shown.rows.map((row) => cells([String(row.Model), ...columns.map((name) => text(row, name))])),
    '',
    ...shown.notes.map((note) => note.replaceAll(/[*<]/g, '\\$&')),
  ].join('\n');
}

/** The models that a study fine-tuned, by its first collection's manifest. */
function trainingNote(folder: string, collections: readonly string[]): string[] {
  const path = join(folder, collections[0]!, 'manifest.json');
  if (!existsSync(path)) return [];
  const { training } = (JSON.parse(readFileSync(path, 'utf8')) as { options: { training?: object } }).options;
  if (!training) return [];
  const { on, ...rest } = training as Readonly<Record<string, Cell>>;
  const what =
    on === 'chunks'
      ? 'phase three, on the chunks that phase two chose. Phases one and two are the models as they ship, and so is MaxP, the row of a model alone'
      : 'every model that scores documents, on queries';
  const settings = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return [
    `Fine-tuned in every fold: ${what}. Three parts of the queries train, one chooses the step (or none), one is measured. ${settings.join(', ')}.`,
    '',
  ];
}

/** The collections that this study has not been run on. */
function missingNote(collections: readonly string[]): string[] {
  const missing = COLLECTIONS.filter((name) => !collections.includes(name));
  return missing.length === 0 ? [] : [`Not run to its end, and so not here: ${missing.join(', ')}.`, ''];
}

function section(heading: string, folder: string): string[] {
  const { ndcg, tables } = existsSync(join(folder, 'tables')) ? tablesOf(folder) : joined(folder);
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
    ...trainingNote(folder, collectionsOf(ndcg)),
    ...missingNote(collectionsOf(ndcg)),
    '**Does expansion beat the re-ranker?** (nDCG@20)',
    '',
    ...verdicts,
    '',
    ...tables.flatMap(({ title, text }) => [`### ${title}`, '', text, '']),
  ];
}

/** The letter of each baseline, read from the note under the table: "Against DPH+KL (a), BERT-Small (b): …". */
function signsOf({ notes }: Table): Map<string, string> {
  const found = [...notes.join(' ').matchAll(/([\w+-]+) \(([a-z])\)/g)];
  return new Map(found.map(([, name, sign]) => [name, sign]));
}

/** A row of a Markdown table. */
const cells = (values: readonly (string | number)[]) => `| ${values.join(' | ')} |`;

const GRID_FIGURE = 'images/effectiveness-grid.svg';

/** The study of kc and m: the figure with the mean over collections, and nDCG@20 of each. */
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

/** What a query takes, measured apart: the studies themselves ran on several machines, beside other work. */
function secondsSection(folder: string): string[] {
  return [
    '## Seconds a query',
    '',
    'Zero-shot, the first 100 of DPH+KL, int8, on two cores with nothing else running: every tenth judged query (every fifth of cisi, npl and cacm) of the first study above ' +
      '(`scripts/sample-queries.ts`, then `bert-qe experiment`).',
    '',
    markdown(folder, 'seconds'),
    '',
  ];
}

const { values: options, positionals } = parseArgs({
  options: { grid: { type: 'string' }, seconds: { type: 'string' } },
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
  'Written by `scripts/effectiveness.ts` from what `bert-qe experiment` gives for `experiments/open.yaml`, `experiments/open-deep.yaml` and `experiments/open-tuned.yaml`, with the models that come with the package. ' +
    'None of the five collections had a part in making the models or in choosing α, β, kc and m ([models.md](models.md), section 14); queries and judgements as they were published. ' +
    'MaxP is the row of a model alone (BERT-Tiny, BERT-Small), interpolated with the initial ranking as BERT-QE is.',
  '',
  ...studies.flatMap(({ heading, folder }) => section(heading, folder)),
  ...(options.seconds === undefined ? [] : secondsSection(options.seconds)),
  ...(options.grid === undefined ? [] : gridSection(options.grid)),
].join('\n');
writeFileSync(join(root, 'docs/effectiveness.md'), `${text.trimEnd()}\n`);
