// node --import tsx scripts/effectiveness.ts "HEADING=STUDY_FOLDER"…
// Writes docs/effectiveness.md from the results of studies (`bert-qe experiment experiments/open.yaml --out STUDY_FOLDER`).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
const order = ['ndcg', 'p-', 'ap-', 'against', 'cost'];
const placeOf = (id: string) => order.findIndex((beginning) => id.startsWith(beginning));

const figure = (value: number) => value.toFixed(4).replace(/^(-?)0/, '$1');

/** Names, or "none". */
const list = (names: readonly string[]) => (names.length > 0 ? names.join(', ') : 'none');

/**
 * One sentence per variant: in which collections nDCG@20 is above its re-ranker, and where the difference is
 * significant. `sign` is the letter under which the re-ranker stands in the marks of the table.
 */
function verdict(ndcg: Table, variant: string, reranker: string, sign: string): string {
  const row = ndcg.rows.find(({ Model }) => Model === variant)!;
  const base = ndcg.rows.find(({ Model }) => Model === reranker)!;
  const collections = Object.keys(row).filter(
    (name) => name !== 'Model' && name !== 'Mean' && !name.endsWith(' marks'),
  );
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

const studies = process.argv.slice(2).map((argument) => {
  const at = argument.lastIndexOf('=');
  return { heading: argument.slice(0, at), folder: argument.slice(at + 1) };
});
if (studies.length === 0) throw new Error('Name at least one study: "HEADING=FOLDER".');

const text = [
  '# What re-ranking and expansion are worth, on open collections',
  '',
  'Written by `scripts/effectiveness.ts` from what `bert-qe experiment experiments/open.yaml` gives with the models that come with the package, in int8. Its kc × m grid has not been run yet. ' +
    'None of the five collections had a part in making the models or in choosing α, β, kc and m ([models.md](models.md), section 14); queries and judgements as they were published. ' +
    'MaxP is the row of a model alone (BERT-Tiny, BERT-Small), interpolated with the initial ranking as BERT-QE is.',
  '',
  ...studies.flatMap(({ heading, folder }) => section(heading, folder)),
].join('\n');
writeFileSync(join(root, 'docs/effectiveness.md'), `${text.trimEnd()}\n`);
