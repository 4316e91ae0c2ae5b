import { isDeepStrictEqual } from 'node:util';
import { usageError } from '../../common/errors.js';
import {
  lmlNote,
  paperCost,
  paperCountNote,
  parseVariant,
  PUBLISHED,
  publishedFlops,
  type PaperCost,
  type PhaseCost,
  type Variant,
} from '../../expansion/index.js';
import { readMeanCost, type MeanCost } from '../../runs/index.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import { defineCommand } from '../command.js';
import { counted, formatCount, tableText, writeJson } from '../format.js';
import { OPTIONS } from '../option-table.js';
import { text } from '../options.js';

export const flopsCommand = defineCommand({
  name: 'flops',
  summary: "What a query costs: the paper's table, any variant counted its way, or what a run really took.",
  positionals: [
    {
      name: 'VARIANT',
      help: 'a size letter per phase (LMT), or one for MaxP (L); out of T, S, M, B, L',
      optional: true,
      multiple: true,
    },
  ],
  options: {
    kd: { ...OPTIONS.kd, default: PUBLISHED.kd },
    kc: { ...OPTIONS.kc, default: PUBLISHED.kc },
    'chunk-words': { ...OPTIONS['chunk-words'], default: PUBLISHED.chunkWords },
    depth: { ...OPTIONS.depth, default: PUBLISHED.depth, help: 'documents that are re-ranked' },
    explained: text('FILE', 'a file of rerank --explain: what its queries took on average, instead'),
    json: OPTIONS.json,
  },
  examples: [
    'bert-qe flops',
    'bert-qe flops LMT SST --depth 100',
    'bert-qe flops LLL --kc 20 --json',
    'bert-qe flops --explained why.jsonl',
  ],
  async run({ options, positionals, io }) {
    if (options.explained !== undefined) {
      if (positionals.length > 0) {
        throw usageError('--explained tells what was run and takes no VARIANT beside it.');
      }
      const mean = await readMeanCost(options.explained);
      if (options.json) writeJson(io, mean);
      else io.stdout.write(`Mean of ${counted(mean.queries, 'query')}:\n${meanTable(mean)}`);
      return;
    }
    const { kd, kc, depth, chunkWords } = options;
    const counts = { depth, kd, kc, chunkWords };
    const asPublished = isDeepStrictEqual({ ...PUBLISHED, ...counts }, PUBLISHED);
    const names = positionals.length > 0 ? positionals : Object.keys(publishedFlops);
    const rows = names.map((name): PaperRow => {
      const variant = parseVariant(name);
      const published = asPublished ? publishedFlops[lettersOf(variant)] : undefined;
      return { variant, cost: paperCost(variant, counts), published };
    });
    if (options.json) {
      const json = rows.map(({ variant, cost, published }) => ({
        variant: variant.name,
        ...cost,
        ...omitUndefined({ published }),
      }));
      writeJson(io, json);
    } else {
      io.stdout.write(paperTable(rows));
    }
  },
});

function lettersOf({ phaseOne, expansion }: Variant): string {
  return expansion ? phaseOne + expansion.phaseTwo + expansion.phaseThree : phaseOne;
}

/** The cost of a variant as the paper counts it, and the number that the paper prints. */
interface PaperRow {
  readonly variant: Variant;
  readonly cost: PaperCost;
  readonly published: number | undefined;
}

function paperTable(rows: readonly PaperRow[]): string {
  const heading = ['', 'phase one', 'phase two', 'phase three', 'TFLOPs', 'x BERT-Large', 'paper'];
  const cells = rows.map(({ variant, cost, published }) => [
    variant.name,
    teraflops(cost.phaseOne.flops),
    teraflops(cost.phaseTwo?.flops),
    teraflops(cost.phaseThree?.flops),
    teraflops(cost.flops),
    cost.relative.toFixed(2),
    published?.toFixed(2) ?? '',
  ]);
  const isPublished = rows.some(({ published }) => published !== undefined);
  const table = tableText(
    [heading, ...cells].map((line) => (isPublished ? line : line.slice(0, -1))),
    { align: 'right' },
  );
  const hasLml = rows.some(
    ({ variant, published }) => published !== undefined && lettersOf(variant) === 'LML',
  );
  return `${table}Counted: ${paperCountNote}.\n${hasLml ? `${lmlNote}.\n` : ''}`;
}

function meanTable({ cost }: MeanCost): string {
  const rows = [
    ['', 'pairs', 'exhaustive', 'tokens', 'TFLOPs', 'seconds'],
    row('best passage', cost.bestPassage),
    row('phase one', cost.phaseOne),
    row('phase two', cost.phaseTwo),
    row('phase three', cost.phaseThree),
    row('query', cost),
  ];
  return tableText(rows, { align: 'right' });
}

function row(name: string, { pairs, exhaustivePairs, tokens, flops, seconds }: PhaseCost): string[] {
  const counts = [pairs, exhaustivePairs, tokens].map(formatCount);
  return [name, ...counts, teraflops(flops), seconds.toFixed(2)];
}

/** TFLOPs with four digits, as the paper prints them. */
function teraflops(flops: number | undefined): string {
  if (flops === undefined) return '-';
  const tera = flops / 1e12;
  return tera.toFixed(tera >= 1000 ? 0 : tera >= 100 ? 1 : tera >= 10 ? 2 : 3);
}
