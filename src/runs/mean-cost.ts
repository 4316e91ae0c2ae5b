import { z } from 'zod';
import { badInput, ByteSource, readLines, type Origin } from '../collection/index.js';
import { inputError } from '../common/errors.js';
import { phases, type Phase, type PhaseCost, type RerankCost } from '../expansion/index.js';

/** The mean cost of the queries of a run, per phase and over all. */
export interface MeanCost {
  readonly queries: number;
  readonly cost: RerankCost;
}

const fields = ['pairs', 'exhaustivePairs', 'seconds', 'tokens', 'flops'] as const;

/** Averages the costs in a file of explanations, as {@link rerankToFile} writes it; one line is in memory at a time. */
export async function readMeanCost(path: string): Promise<MeanCost> {
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
  if (queries === 0) throw inputError(`${source.name}: the file is empty; give one of rerank --explain.`);
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

const phaseCost = z.object(
  Object.fromEntries(fields.map((field) => [field, z.number()])) as Record<
    (typeof fields)[number],
    z.ZodNumber
  >,
);

/** The part of an explanation that is read. */
const explained = z.object({
  cost: phaseCost.extend(
    Object.fromEntries(phases.map((phase) => [phase, phaseCost])) as Record<Phase, typeof phaseCost>,
  ),
});

function costIn(json: string, origin: Origin): RerankCost {
  try {
    return explained.parse(JSON.parse(json)).cost;
  } catch (cause) {
    const fix = 'Give a file that rerank --explain wrote.';
    throw badInput(origin, 'the line holds no cost of a query', fix, cause);
  }
}
