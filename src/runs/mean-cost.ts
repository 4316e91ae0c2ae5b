import { z } from 'zod';
import { badInput, ByteSource, readLines, type Origin } from '../collection/index.js';
import { inputError } from '../common/errors.js';
import { eachPhase, type RerankCost } from '../expansion/index.js';

/** The mean cost of the queries of a run, per phase and over all. */
export interface MeanCost {
  readonly queries: number;
  readonly cost: RerankCost;
}

/** Averages the costs in a file of explanations, as {@link rerankToFile} writes it; one line is in memory at a time. */
export async function readMeanCost(path: string): Promise<MeanCost> {
  const source = ByteSource.open(path);
  let sum: RerankCost | undefined;
  let queries = 0;
  // An explanation holds up to a thousand passages in one line.
  for await (const { text, line } of readLines(source, 1 << 29)) {
    if (text.trim() === '') continue;
    const cost = costIn(text, { file: source.name, line });
    sum = sum ? numberByNumber([sum, cost], ([a, b]) => a + b) : cost;
    queries++;
  }
  if (!sum) throw inputError(`${source.name}: the file is empty; give one of rerank --explain.`);
  return { queries, cost: numberByNumber([sum], ([total]) => total / queries) };
}

/** A cost of which every number, those of the phases too, is made of the same number of each given cost. */
function numberByNumber<Cost extends object>(
  costs: readonly Cost[],
  make: (numbers: readonly number[]) => number,
): Cost {
  const made = (Object.keys(costs[0]) as (keyof Cost)[]).map((name) => {
    const values = costs.map((cost) => cost[name]);
    const isPhase = typeof values[0] === 'object';
    return [name, isPhase ? numberByNumber(values as object[], make) : make(values as number[])];
  });
  return Object.fromEntries(made) as Cost;
}

const number = z.number();
const phaseCost = z.object({
  pairs: number,
  exhaustivePairs: number,
  seconds: number,
  tokens: number,
  flops: number,
});

/** The part of an explanation that is read. */
const explained = z.object({ cost: phaseCost.extend(eachPhase(() => phaseCost)) });

function costIn(json: string, origin: Origin): RerankCost {
  try {
    return explained.parse(JSON.parse(json)).cost;
  } catch (cause) {
    const fix = 'Give a file that rerank --explain wrote.';
    throw badInput(origin, 'the line holds no cost of a query', fix, cause);
  }
}
