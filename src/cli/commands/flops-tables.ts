import { alignColumns } from '../../common/table/text.js';
import type { PaperCost, Variant, PhaseCost } from '../../expansion/index.js';
import { formatCount } from '../progress.js';
import type { CostAsRun } from './flops-as-run.js';

/** A variant's cost as the paper counts it, beside what the paper prints. */
export interface PaperRow {
  readonly variant: Variant;
  readonly cost: PaperCost;
  readonly published: number | undefined;
}

export function paperTable(rows: readonly PaperRow[]): string {
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
  return rightAligned([heading, ...cells].map((line) => (isPublished ? line : line.slice(0, -1))));
}

export function asRunTable({ cost }: CostAsRun): string {
  return rightAligned([
    ['', 'pairs', 'exhaustive', 'tokens', 'TFLOPs', 'seconds'],
    row('best passage', cost.bestPassage),
    row('phase one', cost.phaseOne),
    row('phase two', cost.phaseTwo),
    row('phase three', cost.phaseThree),
    row('query', cost),
  ]);
}

function row(name: string, { pairs, exhaustivePairs, tokens, flops, seconds }: PhaseCost): string[] {
  const counts = [pairs, exhaustivePairs, tokens].map(formatCount);
  return [name, ...counts, teraflops(flops), seconds.toFixed(2)];
}

function rightAligned(lines: readonly (readonly string[])[]): string {
  return `${alignColumns(lines, { align: 'right' }).join('\n')}\n`;
}

/** Four digits, which is what the paper prints. */
function teraflops(flops: number | undefined): string {
  if (flops === undefined) return '-';
  const tera = flops / 1e12;
  return tera.toFixed(tera >= 1000 ? 0 : tera >= 100 ? 1 : tera >= 10 ? 2 : 3);
}
