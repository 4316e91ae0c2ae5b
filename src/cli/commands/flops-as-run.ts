import { badInput, ByteSource, readLines, type Origin } from '../../collection/index.js';
import { BertQeError } from '../../common/errors.js';
import { phases, type PhaseCost, type RerankCost } from '../../expansion/index.js';

/** The mean cost of a query that was really run, per phase and over all. */
export interface CostAsRun {
  readonly queries: number;
  readonly cost: RerankCost;
}

const fields = ['pairs', 'exhaustivePairs', 'seconds', 'tokens', 'flops'] as const;

/** Averages the costs in a file that `rerank --explain` wrote; one line in memory at a time. */
export async function readCostAsRun(path: string): Promise<CostAsRun> {
  const source = ByteSource.open(path);
  const sum = emptyCost();
  let queries = 0;
  try {
    // A line holds a thousand passages.
    for await (const { text, line } of readLines(source, { maxLineBytes: 1 << 29 })) {
      if (text.trim() === '') continue;
      add(sum, costIn(text, { file: source.name, line }));
      queries++;
    }
  } finally {
    await source.close();
  }
  if (queries === 0)
    throw new BertQeError('input', `${source.name}: the file is empty; give one of rerank --explain.`);
  return { queries, cost: mapped(sum, (total) => total / queries) };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object ? Mutable<T[K]> : T[K] };

function zero(): Mutable<PhaseCost> {
  return { pairs: 0, exhaustivePairs: 0, seconds: 0, tokens: 0, flops: 0 };
}

function emptyCost(): Mutable<RerankCost> {
  return { ...zero(), bestPassage: zero(), phaseOne: zero(), phaseTwo: zero(), phaseThree: zero() };
}

function add(sum: Mutable<RerankCost>, cost: RerankCost): void {
  for (const field of fields) sum[field] += cost[field];
  for (const phase of phases) for (const field of fields) sum[phase][field] += cost[phase][field];
}

function mapped(cost: RerankCost, change: (value: number) => number): RerankCost {
  const result = emptyCost();
  const fill = (to: Mutable<PhaseCost>, from: PhaseCost): void => {
    for (const field of fields) to[field] = change(from[field]);
  };
  fill(result, cost);
  for (const phase of phases) fill(result[phase], cost[phase]);
  return result;
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
