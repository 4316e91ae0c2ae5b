import { badInput, ByteSource, readLines, type Origin } from '../../collection/index.js';
import { BertQeError } from '../../common/errors.js';
import {
  paperCost,
  parseVariant,
  phases,
  PUBLISHED,
  publishedFlops,
  windowSpans,
  type PaperCost,
  type Phase,
  type PhaseCost,
  type RerankCost,
  type Variant,
} from '../../expansion/index.js';
import { defineCommand, type Io } from '../command.js';
import { counted, formatCount, tableText } from '../format.js';
import { OPTIONS } from '../option-table.js';

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
    explained: {
      type: 'string',
      value: 'FILE',
      help: 'a file of rerank --explain: what its queries took on average, instead',
    },
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
  io.stdout.write(`Mean of ${counted(asRun.queries, 'query')}:\n${asRunTable(asRun)}`);
}

function lettersOf({ phaseOne, expansion }: Variant): string {
  return expansion ? phaseOne + expansion.phaseTwo + expansion.phaseThree : phaseOne;
}

function toJson({ variant, cost, published }: PaperRow) {
  return { variant: variant.name, ...cost, ...(published === undefined ? {} : { published }) };
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
  return tableText(
    [heading, ...cells].map((line) => (isPublished ? line : line.slice(0, -1))),
    { align: 'right' },
  );
}

function asRunTable({ cost }: CostAsRun): string {
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

/** The mean cost of the queries of a run, per phase and over all. */
interface CostAsRun {
  readonly queries: number;
  readonly cost: RerankCost;
}

const fields = ['pairs', 'exhaustivePairs', 'seconds', 'tokens', 'flops'] as const;

/** Averages the costs in a file that `rerank --explain` wrote; one line in memory at a time. */
async function readCostAsRun(path: string): Promise<CostAsRun> {
  const source = ByteSource.open(path);
  let sum = costWith(() => 0);
  let queries = 0;
  try {
    // An explanation holds up to a thousand passages in one line.
    for await (const { text, line } of readLines(source, { maxLineBytes: 1 << 29 })) {
      if (text.trim() === '') continue;
      const [before, cost] = [sum, costIn(text, { file: source.name, line })];
      sum = costWith((part, field) => part(before)[field] + part(cost)[field]);
      queries++;
    }
  } finally {
    await source.close();
  }
  if (queries === 0)
    throw new BertQeError('input', `${source.name}: the file is empty; give one of rerank --explain.`);
  return { queries, cost: costWith((part, field) => part(sum)[field] / queries) };
}

/** A cost whose numbers are made one by one; `part` takes the phase, or the whole, that a number belongs to. */
function costWith(
  value: (part: (cost: RerankCost) => PhaseCost, field: (typeof fields)[number]) => number,
): RerankCost {
  const made = (part: (cost: RerankCost) => PhaseCost): PhaseCost =>
    Object.fromEntries(fields.map((field) => [field, value(part, field)])) as unknown as PhaseCost;
  const byPhase = phases.map((phase) => [phase, made((cost) => cost[phase])]);
  return { ...made((cost) => cost), ...(Object.fromEntries(byPhase) as Record<Phase, PhaseCost>) };
}

function costIn(json: string, origin: Origin): RerankCost {
  let cost: unknown;
  try {
    cost = (JSON.parse(json) as { cost?: unknown } | null)?.cost;
  } catch (cause) {
    throw notExplained(origin, cause);
  }
  if (isPhaseCost(cost) && phases.every((phase) => isPhaseCost((cost as RerankCost)[phase]))) {
    return cost as RerankCost;
  }
  throw notExplained(origin);
}

function isPhaseCost(value: unknown): value is PhaseCost {
  return (
    typeof value === 'object' &&
    value !== null &&
    fields.every((field) => typeof (value as Record<string, unknown>)[field] === 'number')
  );
}

function notExplained(origin: Origin, cause?: unknown): BertQeError {
  return badInput(
    origin,
    'the line holds no cost of a query',
    'Give a file that rerank --explain wrote.',
    cause,
  );
}
