import type { RerankCost, RerankProgress } from '../../expansion/index.js';
import type { Io } from '../command.js';
import { formatCount, formatDuration, Progress } from '../progress.js';

const phaseNames: Readonly<Record<RerankProgress['phase'], string>> = {
  bestPassage: 'best passages',
  phaseOne: 'phase one',
  phaseTwo: 'phase two',
  phaseThree: 'phase three',
};

/** Keeps count of a run: the line that tells how far it is, and the one that tells what it cost. */
export class RerankTotals {
  readonly #progress: Progress;
  readonly #pairsByPhase = new Map<string, number>();
  #queries = 0;
  #pairs = 0;
  #exhaustivePairs = 0;
  #flops = 0;
  #empty = 0;

  constructor(
    private readonly io: Io,
    private readonly name: string,
    private readonly total: number,
    /** Queries that an earlier run finished. */
    private readonly before: number,
  ) {
    this.#progress = new Progress(io, 'queries');
  }

  /** Within a query; its share is judged by the pairs that queries have taken so far. */
  progress({ phase, pairs }: RerankProgress): void {
    this.#pairsByPhase.set(phase, pairs);
    const current = [...this.#pairsByPhase.values()].reduce((sum, count) => sum + count, 0);
    const usual = this.#queries === 0 ? undefined : this.#pairs / this.#queries;
    const within = usual ? Math.min(1, current / usual) : 0;
    this.#show(this.#queries + within, phaseNames[phase]);
  }

  add(cost: RerankCost, documents: number): void {
    this.#pairsByPhase.clear();
    this.#queries++;
    this.#pairs += cost.pairs;
    this.#exhaustivePairs += cost.exhaustivePairs;
    this.#flops += cost.flops;
    if (documents === 0) this.#empty++;
    this.#show(this.#queries, '');
  }

  /** One line: how many, how long, and at what cost. */
  summarise(): void {
    this.done();
    const seconds = this.#progress.seconds;
    const parts = [
      `${this.name}: ${formatCount(this.#queries)} ${this.#queries === 1 ? 'query' : 'queries'} in ${formatDuration(seconds)}`,
      pairsText({ pairs: this.#pairs, exhaustivePairs: this.#exhaustivePairs }),
    ];
    if (this.#flops > 0 && this.#queries > 0) {
      parts.push(`${(this.#flops / this.#queries / 1e12).toPrecision(3)} TFLOPs a query`);
    }
    if (this.before > 0) parts.push(`${formatCount(this.before)} finished before`);
    if (this.#empty > 0) parts.push(`${formatCount(this.#empty)} without any document`);
    this.io.stderr.write(`${parts.join(' · ')}\n`);
  }

  done(): void {
    this.#progress.done();
  }

  /** The time left is that of the queries left, at the pace of those run now. */
  #show(done: number, note: string): void {
    const share = done / Math.max(1, this.total - this.before);
    this.#progress.update(this.before + Math.floor(done), share, note);
  }
}

function pairsText({ pairs, exhaustivePairs }: Pick<RerankCost, 'pairs' | 'exhaustivePairs'>): string {
  if (pairs >= exhaustivePairs) return `${formatCount(pairs)} pairs`;
  const share = Math.round((100 * pairs) / exhaustivePairs);
  return `${formatCount(pairs)} pairs (${share}% of ${formatCount(exhaustivePairs)})`;
}
