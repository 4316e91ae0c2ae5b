import {
  paperCost,
  PUBLISHED,
  parseVariant,
  publishedFlops,
  type Variant,
  windowSpans,
} from '../../expansion/index.js';
import { BertQeError } from '../../common/errors.js';
import { defineCommand, type Io } from '../command.js';
import { readCostAsRun } from './flops-as-run.js';
import { asRunTable, paperTable, type PaperRow } from './flops-tables.js';

/** Words of a passage, from which phase two cuts its chunks. */

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
    kd: { type: 'integer', min: 1, default: PUBLISHED.kd, help: 'feedback documents' },
    kc: { type: 'integer', min: 1, default: PUBLISHED.kc, help: 'chunks of phase three' },
    'chunk-words': { type: 'integer', min: 1, default: PUBLISHED.chunkWords, help: 'words of a chunk (m)' },
    depth: { type: 'integer', min: 1, default: PUBLISHED.depth, help: 'documents that are re-ranked' },
    explained: {
      type: 'string',
      value: 'FILE',
      help: 'a file of rerank --explain: what its queries took on average, instead',
    },
    json: { type: 'boolean', help: 'write JSON instead of a table' },
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
        throw new BertQeError('usage', '--explained tells what was run and takes no VARIANT beside it.');
      }
      return showAsRun(options.explained, options.json, io);
    }
    const { kd, kc, depth, 'chunk-words': words } = options;
    const spans = windowSpans(PUBLISHED.passageWords, { length: words, overlap: Math.floor(words / 2) });
    const counts = { depth, kd, kc, chunksPerPassage: spans.length };
    const asPublished =
      depth === PUBLISHED.depth &&
      kd === PUBLISHED.kd &&
      kc === PUBLISHED.kc &&
      words === PUBLISHED.chunkWords;
    const names = positionals.length > 0 ? positionals : Object.keys(publishedFlops);
    const rows = names.map((name): PaperRow => {
      const variant = parseVariant(name);
      const published = asPublished ? publishedFlops[lettersOf(variant)] : undefined;
      return { variant, cost: paperCost(variant, counts), published };
    });
    io.stdout.write(options.json ? `${JSON.stringify(rows.map(toJson))}\n` : paperTable(rows));
  },
});

async function showAsRun(file: string, json: boolean, io: Io): Promise<void> {
  const asRun = await readCostAsRun(file);
  if (json) {
    io.stdout.write(`${JSON.stringify(asRun)}\n`);
    return;
  }
  io.stdout.write(
    `Mean of ${asRun.queries} ${asRun.queries === 1 ? 'query' : 'queries'}:\n${asRunTable(asRun)}`,
  );
}

function lettersOf({ phaseOne, expansion }: Variant): string {
  return expansion ? phaseOne + expansion.phaseTwo + expansion.phaseThree : phaseOne;
}

function toJson({ variant, cost, published }: PaperRow) {
  return { variant: variant.name, ...cost, ...(published === undefined ? {} : { published }) };
}
