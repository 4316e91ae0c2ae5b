// node --import tsx scripts/effectiveness.ts OPEN FOLDS SECONDS
//
// Writes docs/effectiveness.md from the tables of three studies: `bert-qe experiment experiments/open.yaml --out OPEN`,
// the same of experiments/open-folds.yaml, and the first on few queries (scripts/sample-queries.ts).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

type Value = number | string | null;
type Row = Readonly<Record<string, Value>>;

const [open, folds, seconds] = process.argv.slice(2);
if (!open || !folds || !seconds) throw new Error('Name the folders of three studies: OPEN FOLDS SECONDS.');

function rowsOf(folder: string, id: string): readonly Row[] {
  return (JSON.parse(readFileSync(join(folder, 'tables', `${id}.json`), 'utf8')) as { rows: Row[] }).rows;
}

/** What a system adds to another on a collection, as the study's table has it. */
interface Gain {
  readonly name: string;
  readonly queries: number;
  readonly without: number;
  readonly with: number;
  readonly difference: number;
  readonly from: number;
  readonly to: number;
  readonly d: number;
  readonly p: number;
  /** After Holm's correction over the collections; absent for collections taken together. */
  readonly holm: number | null;
}

function gainsOf(folder: string, system: string, measure: string): Gain[] {
  return rowsOf(folder, `difference-${system}`)
    .filter((row) => row['Measure'] === measure)
    .map((row) => ({
      name: String(row['Collection']),
      queries: Number(row['Queries']),
      without: Number(row['Without']),
      with: Number(row['With']),
      difference: Number(row['Difference']),
      from: Number(row['From']),
      to: Number(row['To']),
      d: Number(row['d']),
      p: Number(row['p']),
      holm: row['p (Holm)'] === null ? null : Number(row['p (Holm)']),
    }));
}

const single = (gains: readonly Gain[]): Gain[] => gains.filter(({ holm }) => holm !== null);
const find = (gains: readonly Gain[], name: string): Gain => gains.find((gain) => gain.name === name)!;

const figure = (value: number): string => value.toFixed(4).replace(/^0/, '');
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${figure(Math.abs(value))}`;
const interval = ({ from, to }: Gain): string => `${signed(from)} to ${signed(to)}`;
const pText = (p: number): string => (p < 0.001 ? '< .001' : p.toFixed(3).replace(/^0/, ''));
/** Significant values are bold. */
const strong = (p: number | null): string => (p === null ? '' : p < 0.05 ? `**${pText(p)}**` : pText(p));
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const list = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.join(', ').replace(/, ([^,]*)$/, ' and $1');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${head.join(' | ')} |`,
  `| ${head.map((_, i) => (i === 0 ? ':---' : '---:')).join(' | ')} |`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
  '',
];

/** Counts in words: "above on 6 of 9 collections, significantly on 3 (a, b and c), …". */
function verdict(gains: readonly Gain[]): string {
  const own = single(gains);
  const side = (word: string, sign: number): string => {
    const there = own.filter(({ difference }) => Math.sign(difference) === sign);
    const significant = there.filter(({ p }) => p < 0.05);
    const corrected = significant.filter(({ holm }) => holm! < 0.05);
    if (significant.length === 0) return `${word} on ${there.length}, significantly on none`;
    const names = significant.map(({ name, holm }) => (holm! < 0.05 ? `**${name}**` : name));
    return `${word} on ${there.length}, significantly on ${significant.length} (${list(names)}), with Holm's correction on ${corrected.length}`;
  };
  return `${side('above', 1)}; ${side('below', -1)}`;
}

// Collections with the most relevant documents a query come first.
const relevant = new Map<string, number>();
for (const [name, count] of Object.entries(rowsOf(open, 'numrel')[0]!)) {
  const gain = gainsOf(open, 'bert-qe-sst', 'nDCG@20').find((each) => each.name === name);
  if (gain) relevant.set(name, Number(count) / gain.queries);
}
const names = [...relevant.keys()].sort((a, b) => relevant.get(b)! - relevant.get(a)!);
const together = gainsOf(open, 'bert-qe-sst', 'nDCG@20').find(({ holm }) => holm === null)!.name;

/** First stage, T, S, SST, and what SST adds to S. */
function mainTable(measure: string): string[] {
  const [t, sst] = ['bert-tiny', 'bert-qe-sst'].map((id) => gainsOf(open!, id, measure));
  const row = (name: string, label: string): string[] => {
    const gain = find(sst!, name);
    return [
      label,
      String(gain.queries),
      relevant.has(name) ? relevant.get(name)!.toFixed(relevant.get(name)! < 10 ? 1 : 0) : '',
      figure(find(t!, name).without),
      figure(find(t!, name).with),
      figure(gain.without),
      figure(gain.with),
      signed(gain.difference),
      interval(gain),
      gain.d.toFixed(2).replace('-', '−'),
      strong(gain.p),
      strong(gain.holm),
    ];
  };
  return table(
    ['', 'queries', 'relevant', 'first stage', 'T', 'S', 'SST', 'gain', '95 % interval', 'd', 'p', 'Holm'],
    [...names.map((name) => row(name, name)), row(together, together)],
  );
}

/** Both values, their difference with its interval, and p. */
const cellsOf = (gain: Gain): string[] => [
  figure(gain.without),
  figure(gain.with),
  `${signed(gain.difference)} (${interval(gain)})`,
  strong(gain.p),
  strong(gain.holm),
];

/** What TTT adds to T, by both measures. */
function tinyTable(): string[] {
  const [ndcg, ap] = ['nDCG@20', 'AP@100'].map((measure) => gainsOf(open!, 'bert-qe-ttt', measure));
  return table(
    ['', 'nDCG@20 T', 'TTT', 'gain (95 %)', 'p', 'Holm', 'AP T', 'TTT', 'gain (95 %)', 'p', 'Holm'],
    [...names, together].map((name) => [name, ...cellsOf(find(ndcg!, name)), ...cellsOf(find(ap!, name))]),
  );
}

const ours = gainsOf(open, 'bert-qe-sst', 'nDCG@20');
const theirs = gainsOf(folds, 'bert-qe-sst', 'nDCG@20');
const meanOf = (gains: readonly Gain[], side: 'with' | 'without' | 'difference'): number =>
  mean(single(gains).map((gain) => gain[side]));

/** Our settings beside the paper's protocol. */
function protocolTable(): string[] {
  const means = [ours, theirs].flatMap((gains) => [
    figure(meanOf(gains, 'without')),
    figure(meanOf(gains, 'with')),
    signed(meanOf(gains, 'difference')),
    '',
    '',
  ]);
  return table(
    ['', 'ours: S', 'SST', 'gain (95 %)', 'p', 'Holm', "the paper's: S", 'SST', 'gain (95 %)', 'p', 'Holm'],
    [
      ...[...names, together].map((name) => [
        name,
        ...cellsOf(find(ours, name)),
        ...cellsOf(find(theirs, name)),
      ]),
      ['mean of nine', ...means],
    ],
  );
}

const ablated = [open, folds].flatMap((folder) =>
  ['without-query-score', 'chunks-from-initial'].map((which) =>
    gainsOf(folder, `bert-qe-sst-${which}`, 'nDCG@20'),
  ),
);

/** What each ablation changes, in both protocols. */
function ablationTable(): string[] {
  const cells = (name: string): string[] =>
    ablated.map((gains) => {
      const { difference, p } = find(gains, name);
      return `${signed(difference)} (${strong(p)})`;
    });
  return table(
    [
      '',
      'ours: without rel(q,d)',
      'chunks from the first stage',
      "the paper's: without rel(q,d)",
      'chunks from the first stage',
    ],
    [
      ...[...names, together].map((name) => [name, ...cells(name)]),
      ['mean of nine', ...ablated.map((gains) => signed(meanOf(gains, 'difference')))],
    ],
  );
}

/** The machine that the seconds were measured on. */
function machineOf(): string {
  const { notes } = JSON.parse(readFileSync(join(seconds!, 'tables/seconds.json'), 'utf8')) as {
    notes: string[];
  };
  return /the machine did: (.*?)\. –/.exec(notes.join(' '))![1]!;
}

function secondsTable(): string[] {
  const rows = rowsOf(seconds!, 'seconds');
  const models = { 'BERT-Tiny': 'T', 'BERT-Small': 'S', 'BERT-QE-TTT': 'TTT', 'BERT-QE-SST': 'SST' };
  return table(
    ['', ...names],
    Object.entries(models).map(([model, label]) => {
      const row = rows.find(({ Model }) => Model === model)!;
      return [label, ...names.map((name) => Number(row[name]).toPrecision(2))];
    }),
  );
}

/** "+.0044 (95 % interval +.0010 to +.0078, p .012)" */
const inWords = (gain: Gain): string =>
  `${signed(gain.difference)} (95 % interval ${interval(gain)}, p ${pText(gain.p)})`;
const gain = (system: string, measure: string, folder = open): Gain[] => gainsOf(folder!, system, measure);
const pooled = (measure: string): string => inWords(find(gain('bert-qe-sst', measure), together));

/** What the paper's table 5 shows: the method without a part is worse. */
const replicates = (gains: readonly Gain[]): string => {
  const significant = single(gains).filter(({ p }) => p < 0.05);
  const worse = significant.length > 0 && significant.every(({ difference }) => difference < 0);
  return worse && meanOf(gains, 'difference') < 0 ? 'replicates' : 'does not replicate';
};

const wins = meanOf(ours, 'with') > meanOf(theirs, 'with') ? 'Ours' : "The paper's";

const text = [
  '# Effectiveness on open collections',
  '',
  'What re-ranking with the two models of the package adds to a first stage, and what expansion adds to re-ranking, on nine test collections. T (2.6 M parameters) and S (7.6 M) are our own',
  "models ([models.md](models.md)), not the paper's BERT-Tiny and BERT-Small. Alone they rank as MaxP. SST, the default, is S with expansion by T; TTT uses T throughout.",
  '',
  `- **Re-ranking**, S over the first stage, nDCG@20: ${verdict(gain('bert-small', 'nDCG@20'))}.`,
  `- **Expansion**, SST over S, nDCG@20: ${verdict(ours)}; in AP: ${verdict(gain('bert-qe-sst', 'AP@100'))}.`,
  `- **${together} together**: nDCG@20 ${pooled('nDCG@20')}, nDCG@10 ${pooled('nDCG@10')}, AP ${pooled('AP@100')}, AP with only grades 2 and 3 relevant ${pooled('AP(rel=2)@100')}.`,
  '- **Where it helps**: WHERE',
  '',
  'The first 100 documents of the first stage are re-ranked, zero-shot, in int8, with the defaults of the package: five chunks of 50 words, α .15, β .95. Models and settings were made without',
  'these collections. The first stage is the BM25 run that comes with DL 2019, DL 2020, nfcorpus and acord, and DPH+KL elsewhere.',
  '',
  '## Expansion over S',
  '',
  'nDCG@20:',
  '',
  ...mainTable('nDCG@20'),
  'AP@100, every grade above 0 being relevant:',
  '',
  ...mainTable('AP@100'),
  '- *relevant*: relevant documents a query; *gain*: SST − S; *d*: the gain in standard deviations of the gains of queries; *p*: paired two-tailed t-test, bold below .05;',
  "  *Holm*: p after Holm's correction over the nine collections.",
  '- An interval is about as wide as the collection allows: half of it is the smallest mean gain that would have been significant.',
  '- Intervals are over queries. Each model was trained once; what another training would give is not measured.',
  '- AP ends at rank 100, since everything below is the first stage. DL is a pool of judged and retrieved passages, so its run is re-ranked rather than the pool searched.',
  '',
  '## Expansion over T',
  '',
  `TTT over T, nDCG@20: ${verdict(gain('bert-qe-ttt', 'nDCG@20'))}.`,
  '',
  ...tinyTable(),
  "## The paper's protocol",
  '',
  "The paper chooses α, then β on the validation queries of five folds, β of MaxP likewise, and uses ten chunks of ten words. The paper's models are fine-tuned in every fold; here both sides",
  'are the same zero-shot models. nDCG@20:',
  '',
  ...protocolTable(),
  `${wins} wins: in the mean of nine, SST has ${figure(meanOf(ours, 'with'))} with our settings and ${figure(meanOf(theirs, 'with'))} by the paper's protocol, S ${figure(meanOf(ours, 'without'))} and ${figure(meanOf(theirs, 'without'))}. By the paper's protocol, SST is ${verdict(theirs)}.`,
  'The paper finds ten words better than longer chunks; with our models fifty were better on the development collections, where they were chosen ([kc and m](models.md#how-the-defaults-were-chosen)).',
  '',
  '## Ablations',
  '',
  "Difference from SST in nDCG@20 (p), in our settings and by the paper's protocol; table 5 of the paper.",
  '',
  ...ablationTable(),
  `- **Without rel(q,d)**: the paper's finding ${replicates(ablated[0]!)} in our settings (${verdict(ablated[0]!)}) and ${replicates(ablated[2]!)} by the paper's protocol (${verdict(ablated[2]!)}).`,
  `- **Chunks from the first stage** instead of phase one: the paper's finding ${replicates(ablated[1]!)} in our settings (${verdict(ablated[1]!)}) and ${replicates(ablated[3]!)} by the paper's protocol (${verdict(ablated[3]!)}).`,
  '',
  '## Seconds a query',
  '',
  `Two cores, int8, 100 documents, one query at a time, without the first stage; ten queries of each collection. ${machineOf()}`,
  '',
  ...secondsTable(),
  '## Fine-tuned on the collection',
  '',
  'Where phase three is fine-tuned in five folds and MaxP is not, the gain is larger, but that compares a tuned system with an untuned one. With S fine-tuned alike',
  '([fine-tuning.md](fine-tuning.md#phase-three-beside-maxp-fine-tuned-alike)) the gain of fine-tuned expansion remains on cranfield only.',
  '',
  '## To repeat it',
  '',
  '`BERT_QE_COLLECTIONS` names the folder of the [collections](collections.md). Every study resumes where it was stopped.',
  '',
  '<!-- not run: needs the collections and hours -->',
  '```sh',
  'bert-qe experiment experiments/open.yaml --out results/open',
  'bert-qe experiment experiments/open-folds.yaml --out results/open-folds',
  'node --import tsx scripts/sample-queries.ts results/sample experiments/open.yaml',
  'bert-qe experiment results/sample/open.yaml --out results/seconds                    # on a machine that does nothing else',
  'node --import tsx scripts/effectiveness.ts results/open results/open-folds results/seconds',
  '```',
].join('\n');
writeFileSync(
  join(fileURLToPath(new URL('..', import.meta.url)), 'docs/effectiveness.md'),
  `${text.trimEnd()}\n`,
);
