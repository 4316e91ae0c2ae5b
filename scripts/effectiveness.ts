// node --import tsx scripts/effectiveness.ts "HEADING=STUDY_FOLDER"… [--grid STUDY_FOLDER] [--seconds STUDY_FOLDER]
//
// Writes docs/effectiveness.md from the results of studies (`bert-qe experiment experiments/open.yaml --out STUDY_FOLDER`).
// --grid names the study whose kc × m grid is shown. --seconds names the study whose seconds are shown, one of few queries
// (scripts/sample-queries.ts). A folder that holds the collections of a study but not its tables gets them here.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

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
 * The gains in nDCG@20 of a variant over its re-ranker, and which of them are significant. `sign` is the letter of the
 * re-ranker in the marks of the table.
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
      ? 'Phase three is fine-tuned in every fold, on the chunks that phase two chooses. Phases one and two, and MaxP, are the shipped models.'
      : 'Every model that scores documents is fine-tuned in every fold, on queries.';
  const settings = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return [
    `${what} Three parts of the queries train, one chooses the step (or none), one is measured. Settings: ${settings.join(', ')}.`,
    '',
  ];
}

/** The collections that this study has not been run on. */
function missingNote(collections: readonly string[]): string[] {
  const missing = COLLECTIONS.filter((name) => !collections.includes(name));
  return missing.length === 0 ? [] : [`Not run: ${missing.join(', ')}.`, ''];
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
    'Gain of expansion over the re-ranker, nDCG@20:',
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

/** nDCG@20 of each collection by kc and m. */
function gridSection(folder: string): string[] {
  const collections = collectionsOf(table(folder, 'ndcg-20'));
  const tables = collections.map((name) => table(join(folder, name), 'grid'));
  return [
    '## The number of chunks kc and their words m',
    '',
    'Zero-shot, the first 100 of DPH+KL, BERT-QE-SST, α .15, β .95; figure 3 of the paper. kc 5 and m 50 are the defaults, which were chosen on development collections ([models.md](models.md)). nDCG@20:',
    '',
    cells(['kc', 'm', ...collections, 'Mean']),
    cells([':---', '---:', ...collections.map(() => '---:'), '---:']),
    ...tables[0]!.rows.map(({ kc, m }, i) => {
      const values = tables.map(({ rows }) => Number(rows[i]!['nDCG@20']));
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return cells([String(kc), String(m), ...[...values, mean].map((value) => value.toFixed(4))]);
    }),
    '',
  ];
}

/** Seconds a query, of a study of few queries on a quiet machine. */
function secondsSection(folder: string): string[] {
  return [
    '## Seconds a query',
    '',
    'Zero-shot, the first 100 of DPH+KL, int8, on two cores; every tenth judged query (every fifth of cisi, npl and cacm) of the first study above ' +
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
  '# Effectiveness on open collections',
  '',
  'Re-ranking with the models of the package has a higher nDCG@20 than every first stage on all five collections. What expansion adds to it differs by collection; the list at the start of each section says how much.',
  '',
  'Results of `bert-qe experiment` with `experiments/open.yaml`, `experiments/open-deep.yaml` and `experiments/open-tuned.yaml` and the models of the package, put together by `scripts/effectiveness.ts`. ' +
    'The five collections ([collections.md](collections.md)) had no part in training the models or in choosing α, β, kc and m ([models.md](models.md)). ' +
    'The rows BERT-Tiny and BERT-Small are MaxP: the model alone, interpolated with the initial ranking as BERT-QE is.',
  '',
  ...studies.flatMap(({ heading, folder }) => section(heading, folder)),
  ...(options.seconds === undefined ? [] : secondsSection(options.seconds)),
  ...(options.grid === undefined ? [] : gridSection(options.grid)),
].join('\n');
writeFileSync(join(root, 'docs/effectiveness.md'), `${text.trimEnd()}\n`);
