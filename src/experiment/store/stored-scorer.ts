import { createHash } from 'node:crypto';
import { getOrInsert } from '../../common/get-or-insert.js';
import { Lazy } from '../../common/lazy.js';
import type { Scorer, ScoreOptions, ScoringCost, TextPair } from '../../bert/index.js';
import type { ScoreRow, ScoreStore } from './score-store.js';
import { sumOfTimings, type Timing } from './timing.js';

/** A model behind a store. */
export interface StorableScorer extends Scorer {
  /** The cost of pairs without scoring them; absent, or undefined, where it is not known. */
  costOf?(pairs: readonly TextPair[], options?: Pick<ScoreOptions, 'secondPieces'>): ScoringCost | undefined;
}

/** Pairs that are scored before their rows are committed: the most that a kill can lose. */
const commitPairs = 2048;

/** The pairs of a call that share their first text, by their places in the call. */
interface Row {
  readonly key: string;
  readonly places: readonly number[];
}

/**
 * A scorer that keeps a model's scores in a store, and loads the model when a score is missing. A row holds the scores
 * of one text against a list of texts, which is how the phases ask: the query against all passages, a chunk against
 * all best passages. Variants, ablations and grid points that ask the same again are answered from the store.
 *
 * Missing rows are scored in slices that do not depend on where an earlier process stopped. The model gets the same
 * batches either way and gives the same bits.
 */
export class StoredScorer implements Scorer {
  readonly #model: Lazy<StorableScorer>;
  #timing: Timing | undefined;

  constructor(
    /** Hash of the model and of its settings. */
    readonly identity: string,
    private readonly store: ScoreStore,
    open: () => Promise<StorableScorer>,
    /** The machine, in words; undefined where the time that scores take is not the model's. */
    private readonly machine: string | undefined,
  ) {
    this.#model = new Lazy(open);
    this.#timing = this.#noTime();
  }

  async score(pairs: readonly TextPair[], options: ScoreOptions = {}): Promise<Float32Array> {
    const { onCost, onProgress, ...others } = options;
    const scores = new Float32Array(pairs.length);
    const cost = { tokens: 0, flops: 0 };
    const fill = ({ places }: Row, row: ScoreRow): void => {
      places.forEach((place, i) => (scores[place] = row.scores[i]));
      cost.tokens += row.tokens;
      cost.flops += row.flops;
      this.#timing = sumOfTimings([this.#timing, row.timing]);
    };
    const missing: Row[] = [];
    for (const row of this.#rowsOf(pairs, others.secondPieces)) {
      const found = await this.store.row(row.key);
      if (found) fill(row, found);
      else missing.push(row);
    }
    const total = missing.reduce((sum, { places }) => sum + places.length, 0);
    let done = 0;
    for (const slice of slicesOf(missing)) {
      const before = done;
      const rows = await this.#scoreRows(slice, pairs, {
        ...others,
        onProgress: (some) => onProgress?.(before + some, total),
      });
      await this.store.putRows(rows.map((row, i) => [slice[i].key, row]));
      rows.forEach((row, i) => fill(slice[i], row));
      done += slice.reduce((sum, { places }) => sum + places.length, 0);
    }
    if (cost.tokens > 0) onCost?.(cost);
    return scores;
  }

  /**
   * The time that the pairs scored since the last call of this method took the model, whether they were stored or not;
   * undefined where it is not known of all of them, or comes from another machine.
   */
  takeTiming(): Timing | undefined {
    const timing = this.#timing;
    this.#timing = this.#noTime();
    return timing;
  }

  async close(): Promise<void> {
    await (await this.#model.take())?.close();
  }

  #noTime(): Timing | undefined {
    return this.machine === undefined ? undefined : { seconds: 0, machine: this.machine };
  }

  async #scoreRows(
    rows: readonly Row[],
    pairs: readonly TextPair[],
    options: ScoreOptions,
  ): Promise<ScoreRow[]> {
    const scorer = await this.#model.get();
    const ofRows = rows.map(({ places }) => places.map((place) => pairs[place]));
    const started = performance.now();
    const scores = await scorer.score(ofRows.flat(), options);
    const seconds = (performance.now() - started) / 1000;
    const costs = ofRows.map((ofRow) => scorer.costOf?.(ofRow, options));
    // Rows are scored together. Each gets its share of the time by FLOPs or, where these are unknown, by pairs.
    const loads = costs.map((cost, i) => cost?.flops ?? ofRows[i].length);
    const load = loads.reduce((sum, each) => sum + each, 0);
    let from = 0;
    return costs.map((cost, i) => ({
      tokens: cost?.tokens ?? 0,
      flops: cost?.flops ?? 0,
      scores: scores.slice(from, (from += ofRows[i].length)),
      timing:
        this.machine === undefined
          ? undefined
          : { seconds: (seconds * loads[i]) / load, machine: this.machine },
    }));
  }

  #rowsOf(pairs: readonly TextPair[], secondPieces: number | undefined): Row[] {
    const placesOf = new Map<string, number[]>();
    pairs.forEach(({ a }, place) => getOrInsert(placesOf, a, () => []).push(place));
    const digests = new Map<string, Buffer>();
    const digestOf = (text: string): Buffer =>
      getOrInsert(digests, text, () => createHash('sha256').update(text).digest());
    return [...placesOf].map(([a, places]) => {
      const hash = createHash('sha256').update(this.identity).update(digestOf(a));
      if (secondPieces !== undefined) hash.update(`second ${secondPieces}`);
      for (const place of places) hash.update(digestOf(pairs[place].b));
      return { key: hash.digest('hex'), places };
    });
  }
}

function* slicesOf(rows: readonly Row[]): Generator<readonly Row[]> {
  let slice: Row[] = [];
  let pairs = 0;
  for (const row of rows) {
    slice.push(row);
    pairs += row.places.length;
    if (pairs < commitPairs) continue;
    yield slice;
    slice = [];
    pairs = 0;
  }
  if (slice.length > 0) yield slice;
}
