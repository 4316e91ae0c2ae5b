import { computeTopK, type TopKOptions } from './exact-top-k.js';
import type { Cells, Schedule, ScoreTable } from './schedule.js';

/** Pairs of the first round of a kind, whose speed is not known yet. */
const firstRound = 16;

/** Pairs computed so far, and the time they took. */
interface Speed {
  pairs: number;
  seconds: number;
}

/**
 * The schedule that stops at a point in time. Work is cut into rounds that fit into the time left at the speed
 * measured so far, and the first k rows come first.
 */
export class Deadline implements Schedule {
  readonly #end: number;
  readonly #speeds = new Map<string, Speed>();

  constructor(
    milliseconds: number,
    private readonly options: TopKOptions,
  ) {
    this.#end = performance.now() + milliseconds;
  }

  /** Computes items in rounds until all are done or time has run out. */
  async all<Item>(
    kind: string,
    items: readonly Item[],
    cost: (item: Item) => number,
    compute: (items: readonly Item[]) => Promise<void>,
  ): Promise<boolean> {
    let from = 0;
    while (from < items.length && !this.#isOver()) {
      const fitting = this.#fittingPairs(kind);
      let pairs = 0;
      let to = from;
      while (to < items.length && (to === from || pairs < fitting)) pairs += cost(items[to++]);
      const before = this.options.scoredPairs();
      const started = performance.now();
      await compute(items.slice(from, to));
      this.#measure(kind, this.options.scoredPairs() - before, (performance.now() - started) / 1000);
      from = to;
    }
    return from === items.length;
  }

  async cells<Row>(
    table: ScoreTable<Row>,
    compute: (cells: readonly Cells<Row>[]) => Promise<void>,
  ): Promise<boolean> {
    const cost = ({ row, columns }: Cells<Row>) =>
      columns.reduce((sum, column) => sum + table.cost(row, column), 0);
    return computeTopK(table, this.options, (cells) => this.all('cells', cells, cost, compute));
  }

  #isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Pairs that fit into the time left: at least one, at most a round. */
  #fittingPairs(kind: string): number {
    const { roundPairs } = this.options;
    const speed = this.#speeds.get(kind);
    if (!speed || speed.pairs === 0) return Math.min(firstRound, roundPairs);
    const left = Math.max(0, this.#end - performance.now()) / 1000;
    return Math.max(1, Math.min(roundPairs, Math.floor((left * speed.pairs) / speed.seconds)));
  }

  #measure(kind: string, pairs: number, seconds: number): void {
    const speed = this.#speeds.get(kind) ?? { pairs: 0, seconds: 0 };
    this.#speeds.set(kind, { pairs: speed.pairs + pairs, seconds: speed.seconds + seconds });
  }
}
