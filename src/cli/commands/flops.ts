import {
  paperCost,
  parseVariant,
  publishedFlops,
  type PaperCost,
  type PaperCounts,
  type Variant,
} from '../../cost/index.js';
import { windowSpans } from '../../expansion/index.js';
import { defineCommand } from '../command.js';

/** Words of a passage, from which phase two cuts its chunks. */
const passageWords = 100;

export const flopsCommand = defineCommand({
  name: 'flops',
  summary: "What a query costs, counted as the paper counts it: the paper's table, or any variant.",
  positionals: [
    {
      name: 'VARIANT',
      help: 'a size letter per phase (LMT), or one for MaxP (L); out of T, S, M, B, L',
      optional: true,
      multiple: true,
    },
  ],
  options: {
    kd: { type: 'integer', min: 1, default: 10, help: 'feedback documents' },
    kc: { type: 'integer', min: 1, default: 10, help: 'chunks of phase three' },
    'chunk-words': { type: 'integer', min: 1, default: 10, help: 'words of a chunk (m)' },
    depth: { type: 'integer', min: 1, default: 1000, help: 'documents that are re-ranked' },
    json: { type: 'boolean', help: 'write JSON instead of a table' },
  },
  examples: ['bert-qe flops', 'bert-qe flops LMT SST --depth 100', 'bert-qe flops LLL --kc 20 --json'],
  async run({ options, positionals, io }) {
    const words = options['chunk-words'];
    const spans = windowSpans(passageWords, { length: words, overlap: Math.floor(words / 2) });
    const counts: PaperCounts = {
      depth: options.depth,
      kd: options.kd,
      kc: options.kc,
      chunksPerPassage: spans.length,
    };
    const asPublished = options.depth === 1000 && options.kd === 10 && options.kc === 10 && words === 10;
    const names = positionals.length > 0 ? positionals : Object.keys(publishedFlops);
    const rows = names.map((name): Row => {
      const variant = parseVariant(name);
      const published = asPublished ? publishedFlops[lettersOf(variant)] : undefined;
      return { variant, cost: paperCost(variant, counts), published };
    });
    io.stdout.write(options.json ? `${JSON.stringify(rows.map(toJson))}\n` : table(rows));
  },
});

interface Row {
  readonly variant: Variant;
  readonly cost: PaperCost;
  /** What the paper prints. */
  readonly published: number | undefined;
}

function lettersOf({ phaseOne, expansion }: Variant): string {
  return expansion ? phaseOne + expansion.phaseTwo + expansion.phaseThree : phaseOne;
}

function toJson({ variant, cost, published }: Row) {
  return { variant: variant.name, ...cost, ...(published === undefined ? {} : { published }) };
}

function table(rows: readonly Row[]): string {
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
  const shown = rows.some(({ published }) => published !== undefined) ? 7 : 6;
  const lines = [heading, ...cells].map((line) => line.slice(0, shown));
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map((line) =>
      line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** Four digits, which is what the paper prints. */
function teraflops(flops: number | undefined): string {
  if (flops === undefined) return '-';
  const tera = flops / 1e12;
  return tera.toFixed(tera >= 1000 ? 0 : tera >= 100 ? 1 : tera >= 10 ? 2 : 3);
}
