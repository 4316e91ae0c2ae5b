// node --import tsx scripts/effectiveness.ts OPEN FOLDS [SECONDS]
//
// Writes docs/effectiveness.md from the tables of three studies: `bert-qe experiment experiments/open.yaml --out OPEN`,
// the same of experiments/open-folds.yaml, and the first on few queries (scripts/sample-queries.ts). Each table has the
// collections that its study has been run on.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULTS } from '../src/expansion/defaults.js';
import {
  apOf,
  collections,
  figure,
  find,
  fromTwo,
  gainsOf,
  interval,
  inWords,
  label,
  list,
  markdown,
  meanOf,
  signed,
  single,
  strong,
  tableOf,
  verdict,
  type Gain,
  type Table,
} from './effectiveness/gains.js';

const [open = '', folds = '', seconds = ''] = process.argv.slice(2);
if (!open || !folds) throw new Error('Name the folders of the studies: OPEN FOLDS [SECONDS].');

const ours = gainsOf(open, 'bert-qe-sst');
const theirs = gainsOf(folds, 'bert-qe-sst');
/** Relevant documents a query; the row of any re-ranker has them for all collections. */
function relevant(name: string): number {
  const { rows } = tableOf(open, fromTwo.includes(name) ? 'numrel-rel-2-' : 'numrel');
  return Number(rows.find(({ Model }) => Model === 'S')![name]) / find(ours, name).Queries;
}
// Collections with the most relevant documents a query come first.
const names = single(ours)
  .map(({ Collection }) => Collection)
  .sort((a, b) => relevant(b) - relevant(a));
const together = ours.find((gain) => gain['p (Holm)'] === null)!.Collection;

/** First stage, T, S, SST, and what SST adds to S. */
function mainTable(measure: string, of: (system: string) => Gain[]): string[] {
  const [t, sst] = [of('bert-tiny'), of('bert-qe-sst')];
  const rows = [...names, together].map((name) => {
    const gain = find(sst, name);
    return [
      label(name),
      String(gain.Queries),
      name === together ? '' : relevant(name).toPrecision(2),
      ...[find(t, name).Without, find(t, name).With, gain.Without, gain.With].map(figure),
      signed(gain.Difference),
      interval(gain),
      gain.d.toFixed(2).replace('-', '−'),
      strong(gain.p),
      strong(gain['p (Holm)']),
    ];
  });
  const head = 'queries|relevant|first stage|T|S|SST|gain|95 % interval|d|p|Holm';
  return markdown([measure, ...head.split('|')], rows);
}

/** Comparisons side by side, with the mean of the collections that each has. */
function sideBySide(
  head: readonly string[],
  sides: readonly (readonly Gain[])[],
  cells: (gain: Gain) => readonly string[],
  means: (gains: readonly Gain[]) => readonly string[],
): string[] {
  const shown = [...names, together].filter((name) => sides.some((gains) => find(gains, name)));
  const none = means(ours).map(() => '–');
  return markdown(
    ['', ...head],
    [
      ...shown.map((name) => [
        label(name),
        ...sides.flatMap((gains) => (find(gains, name) ? cells(find(gains, name)) : none)),
      ]),
      ['mean', ...sides.flatMap(means)],
    ],
  );
}

/** Two comparisons with their values, intervals and p. */
const wholeTable = (head: readonly string[], sides: readonly (readonly Gain[])[]) =>
  sideBySide(
    head.flatMap((columns) => [...columns.split('|'), 'gain (95 %)', 'p', 'Holm']),
    sides,
    (gain) => [
      figure(gain.Without),
      figure(gain.With),
      `${signed(gain.Difference)} (${interval(gain)})`,
      strong(gain.p),
      strong(gain['p (Holm)']),
    ],
    (gains) => [
      ...(['Without', 'With'] as const).map((side) => figure(meanOf(gains, side))),
      signed(meanOf(gains, 'Difference')),
      '',
      '',
    ],
  );

const ablations = ['without-query-score', 'chunks-from-initial'].map((which) =>
  gainsOf(open, `bert-qe-sst-${which}`),
);

/** The paper's table 5 shows the method without a part to be worse. */
function replicates(gains: readonly Gain[]): string {
  const significant = single(gains).filter(({ p }) => p < 0.05);
  const isWorse = significant.length > 0 && significant.every(({ Difference }) => Difference < 0);
  const replicated = isWorse && meanOf(gains, 'Difference') < 0 ? 'replicates' : 'does not replicate';
  return `${significant.length === 0 ? 'is neither shown nor refuted' : replicated} (${verdict(gains)})`;
}

/** Cost of the models by collection: a table of the study, by our names. */
const costTable = ({ rows }: Table) =>
  markdown(
    ['', ...names.map(label)],
    ['T', 'BERT-QE-TTT', 'S', 'BERT-QE-SST'].flatMap((model) => {
      const row = rows.find(({ Model }) => Model === model);
      const value = (name: string) => (row![name] ? String(Number(Number(row![name]).toPrecision(2))) : '–');
      return row ? [[model.replace('BERT-QE-', ''), ...names.map(value)]] : [];
    }),
  );

/** The collections that a study has not been run on. */
const missing = (gains: readonly Gain[]) => {
  const left = collections.filter((name) => !find(gains, name));
  return left.length === 0 ? '' : ` Not run on ${list(left.map(label))}.`;
};

const pooled = (gains: readonly Gain[]) => {
  const gain = find(gains, together);
  return `${signed(gain.Difference)} (95 % interval ${interval(gain)}, p ${inWords(gain.p)})`;
};
const oursThere = ours.filter(({ Collection }) => find(theirs, Collection));
const wins = meanOf(oursThere, 'With') > meanOf(theirs, 'With') ? 'The fixed ones win' : 'Choosing wins';
const chosen = (name: string) => signed(find(theirs, name).Difference);
const tiny = gainsOf(open, 'bert-qe-ttt');

/** Seconds on a machine that did nothing else; nothing where they were not measured. */
function secondsOf(folder: string): string {
  const table = tableOf(folder, 'seconds');
  const machine = /the machine did: (.*?)\. –/.exec(table.notes.join(' '))?.[1];
  if (!machine) return '';
  const what = `Seconds, one query at a time, ten queries of each collection, without the first stage (${machine}):`;
  return [what, '', ...costTable(table), ''].join('\n');
}

const short = (share: number) => String(share).replace(/^0/, '');

const text = `# Effectiveness on open collections

What re-ranking with the models of the package adds to a first stage, and what expansion adds to re-ranking, on ${names.length} test collections.${missing(ours)} T (2.6 M parameters) and S (7.6 M) are models of our own
([models.md](models.md)), not the paper's BERT-Tiny and BERT-Small. Alone they rank as MaxP. SST, the default, is S with expansion by T; TTT is T throughout.

- **Re-ranking**: S over the first stage, nDCG@20: ${verdict(gainsOf(open, 'bert-small'))}.
- **Expansion**: SST over S, nDCG@20: ${verdict(ours)}. AP@100: ${verdict(apOf(open, 'bert-qe-sst'))}.
- **${together} together**: nDCG@20 ${pooled(ours)}, nDCG@10 ${pooled(gainsOf(open, 'bert-qe-sst', 'nDCG@10'))}, AP@100 ${pooled(apOf(open, 'bert-qe-sst'))}.
- **Where it helps**: on web questions with dozens of relevant passages (DL 2019 and 2020), on contract clauses (acord) and on cranfield. On scifact, where a query has one relevant document, it neither helps nor hurts. With α and
  β chosen on a collection's own queries ([below](#interpolation-chosen-in-folds)), the gain over S with β chosen alike is ${chosen('trec-dl19-passage')} on DL 2019, ${chosen('acord')} on acord and ${chosen('cranfield')} on cranfield.

The first 100 documents of the first stage are re-ranked, zero-shot, in int8, with the defaults of the package: ${DEFAULTS.kc} chunks of ${DEFAULTS.chunkWords} words, α ${short(DEFAULTS.alpha)}, β ${short(DEFAULTS.beta)}. Neither models nor settings were chosen
with these collections. None of their queries is a training question (813 of those are MS MARCO's); of the 41,733 passages in DL's pools 36 begin with the same hundred characters as a passage of a
question set. Every passage is scored by the model of phase one, as in the paper (\`passageChoice: exhaustive\`, as experiments have it). The first stage is the BM25 run that comes with DL 2019, DL 2020, nfcorpus and acord, and DPH+KL elsewhere.

## Expansion over S

${[...mainTable('nDCG@20', (id) => gainsOf(open, id)), ...mainTable('AP@100', (id) => apOf(open, id))].join('\n')}
- *relevant*: relevant documents a query; in DL and acord these are grades from 2 up, also for AP. *gain*: SST − S. *d*: the gain in standard deviations of the queries' gains. *p*: paired
  two-tailed t-test, bold below .05. *Holm*: p after Holm's correction over the collections.
- Half the width of an interval is the smallest mean gain that would have been significant: what a collection of this size can show.
- Intervals are over queries. Each model was trained once; how much trainings differ is not measured.
- AP ends at rank 100: what lies below is the first stage. DL's corpus is a pool of judged and retrieved passages, so its run is re-ranked and the pool is not searched.

## Expansion over T

${wholeTable(['nDCG@20: T|TTT', 'AP@100: T|TTT'], [tiny, apOf(open, 'bert-qe-ttt')]).join('\n')}
TTT over T, nDCG@20: ${verdict(tiny)}.${missing(tiny)}

## Interpolation chosen in folds

The paper chooses α, then β on the validation queries of five folds, β of MaxP too. It also fine-tunes its models and uses ten chunks of ten words; here both sides have the models as they ship
and ${DEFAULTS.kc} chunks of ${DEFAULTS.chunkWords} words. nDCG@20:

${wholeTable(['fixed: S|SST', 'chosen: S|SST'], [oursThere, theirs]).join('\n')}
${wins}: in the mean SST has ${figure(meanOf(oursThere, 'With'))} with the fixed α and β and ${figure(meanOf(theirs, 'With'))} with chosen ones, S ${figure(meanOf(oursThere, 'Without'))} and ${figure(meanOf(theirs, 'Without'))}. With chosen ones SST is, against S, ${verdict(theirs)}.${missing(theirs)}
The paper's grid for β ends at .9, below the fixed .95, so S changes too: over S with the fixed β, SST with chosen ones is ${signed(meanOf(theirs, 'With') - meanOf(oursThere, 'Without'))} in the mean and ${signed(find(theirs, together).With - find(ours, together).Without)} on ${together}.

The paper finds ten words better than longer chunks. On the development collections, where kc and m were chosen, ten chunks of ten words gain +.0039 and three of fifty +.0062 where many documents are relevant;
where one or two are, −.0080 and +.0047 ([all points](models.md#how-the-defaults-were-chosen)).

## Ablations

The difference from SST in nDCG@20 with our settings, and p; table 5 of the paper.

${sideBySide(
  ['without rel(q,d)', 'chunks from the first stage'],
  ablations,
  ({ Difference, p }) => [`${signed(Difference)} (${strong(p)})`],
  (gains) => [signed(meanOf(gains, 'Difference'))],
).join('\n')}
- **Without rel(q,d)** the paper's ranking is worse. This ${replicates(ablations[0]!)}.${missing(ablations[0]!)}
- **Chunks from the first stage** instead of phase one make the paper's ranking worse. This ${replicates(ablations[1]!)}.${missing(ablations[1]!)}

## Cost of a query

GFLOPs of the matrix products as run, for 100 documents (milliseconds are in the [engineers' guide](guide/engineer.md#variants)):

${costTable(tableOf(open, 'cost')).join('\n')}
${secondsOf(seconds)}## Fine-tuned on the collection

With the weights of the first round of training, a fine-tuned phase three gained more over MaxP that was not fine-tuned, but that is no fair comparison. Where S was fine-tuned alike, the gain was significant on one of four collections, cranfield
([fine-tuning.md](fine-tuning.md#phase-three-beside-maxp-fine-tuned-alike)).

## To repeat it

\`BERT_QE_COLLECTIONS\` names the folder of the [collections](collections.md). A study resumes where it was stopped. The last line writes this page.

<!-- not run: needs the collections and hours -->
\`\`\`sh
bert-qe experiment experiments/open.yaml --out results/open
bert-qe experiment experiments/open-folds.yaml --out results/folds
node --import tsx scripts/sample-queries.ts results/sample experiments/open.yaml
bert-qe experiment results/sample/open.yaml --out results/seconds      # on a machine that does nothing else
node --import tsx scripts/effectiveness.ts results/open results/folds results/seconds
\`\`\`
`;
writeFileSync(join(fileURLToPath(new URL('..', import.meta.url)), 'docs/effectiveness.md'), text);
