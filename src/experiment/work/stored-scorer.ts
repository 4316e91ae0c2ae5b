import { createHash } from 'node:crypto';
import type { Scorer, ScoreOptions, ScoringCost, TextPair } from '../../bert/index.js';
import type { ScoreRow, WorkStore } from './store.js';
import { sumOfTimings, type Timing } from './timing.js';

/** A model that is ready to score. */
export interface OpenedModel {
  readonly scorer: Scorer;
  /** The cost of pairs; undefined where the model's cost is not known. */
  readonly costOf?: (pairs: readonly TextPair[]) => ScoringCost | undefined;
}

/** What the pairs that were asked for cost. */
export interface ScoringUse {
  readonly tokens: number;
  readonly flops: number;
  /** What they took when they were scored; absent where that was not measured, here, for all of them. */
  readonly timing: Timing | undefined;
}

/** Pairs that are scored before their rows are committed: what a kill can cost. */
const commitPairs = 2048;

/** The pairs of a call that share their first text, by their places in the call. */
interface Row {
  readonly key: Buffer;
  readonly places: readonly number[];
}

/**
 * A model in front of a store. Scores are kept in rows, a text against a list of texts, which is how the phases ask:
 * the query against all passages, a chunk against all best passages. So variants, ablations and grid points that ask
 * the same again are answered from the disk, and the model is not even loaded when everything is there.
 *
 * Rows are scored in slices that do not depend on where an earlier process was stopped: the model sees the same
 * batches either way, and gives the same bits.
 */
export class StoredScorer implements Scorer {
  #opened: Promise<OpenedModel> | undefined;
  #use: ScoringUse;

  constructor(
    /** Hash of the model and of how it runs. */
    readonly identity: string,
    private readonly store: WorkStore,
    private readonly open: () => Promise<OpenedModel>,
    /** Where it runs, in words. */
    private readonly machine: string,
  ) {
    this.#use = this.#nothing();
  }

  async score(pairs: readonly TextPair[], options: ScoreOptions = {}): Promise<Float32Array> {
    const scores = new Float32Array(pairs.length);
    const fill = ({ places }: Row, row: ScoreRow): void => {
      places.forEach((place, i) => (scores[place] = row.scores[i]));
      this.#use = {
        tokens: this.#use.tokens + row.tokens,
        flops: this.#use.flops + row.flops,
        timing: sumOfTimings([this.#use.timing, row.timing]),
      };
    };
    const missing: Row[] = [];
    for (const row of this.#rowsOf(pairs)) {
      const found = this.store.row(row.key);
      if (found) fill(row, found);
      else missing.push(row);
    }
    const total = missing.reduce((sum, { places }) => sum + places.length, 0);
    let done = 0;
    for (const slice of slicesOf(missing)) {
      const before = done;
      const rows = await this.#scoreRows(slice, pairs, {
        ...options,
        onProgress: (some) => options.onProgress?.(before + some, total),
      });
      this.store.putRows(rows.map((row, i) => [slice[i].key, row]));
      rows.forEach((row, i) => fill(slice[i], row));
      done += slice.reduce((sum, { places }) => sum + places.length, 0);
    }
    return scores;
  }

  /** What was asked for since the last call, stored or not. */
  takeUse(): ScoringUse {
    const use = this.#use;
    this.#use = this.#nothing();
    return use;
  }

  #nothing(): ScoringUse {
    return { tokens: 0, flops: 0, timing: { seconds: 0, machine: this.machine } };
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.scorer.close();
  }

  async #scoreRows(
    rows: readonly Row[],
    pairs: readonly TextPair[],
    options: ScoreOptions,
  ): Promise<ScoreRow[]> {
    this.#opened ??= this.open();
    const { scorer, costOf } = await this.#opened;
    const ofRows = rows.map(({ places }) => places.map((place) => pairs[place]));
    const started = performance.now();
    const scores = await scorer.score(ofRows.flat(), options);
    const seconds = (performance.now() - started) / 1000;
    const costs = ofRows.map((ofRow) => costOf?.(ofRow));
    // Rows are scored together; each took its share by FLOPs or, where they are not known, by pairs.
    const loads = costs.map((cost, i) => cost?.flops ?? ofRows[i].length);
    const load = loads.reduce((sum, each) => sum + each, 0);
    let from = 0;
    return costs.map((cost, i) => ({
      tokens: cost?.tokens ?? 0,
      flops: cost?.flops ?? 0,
      scores: scores.slice(from, (from += ofRows[i].length)),
      timing: { seconds: (seconds * loads[i]) / load, machine: this.machine },
    }));
  }

  #rowsOf(pairs: readonly TextPair[]): Row[] {
    const placesOf = new Map<string, number[]>();
    pairs.forEach(({ a }, place) => {
      const places = placesOf.get(a);
      if (places) places.push(place);
      else placesOf.set(a, [place]);
    });
    const digests = new Map<string, Buffer>();
    const digestOf = (text: string): Buffer => {
      let digest = digests.get(text);
      if (!digest) digests.set(text, (digest = createHash('sha256').update(text).digest()));
      return digest;
    };
    return [...placesOf].map(([a, places]) => {
      const hash = createHash('sha256').update(this.identity).update(digestOf(a));
      for (const place of places) hash.update(digestOf(pairs[place].b));
      return { key: hash.digest(), places };
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
