import type { ScoreOptions, Scorer, TextPair } from '../../src/bert/index.js';

/** Asks the model once per pair, for as long as one query lasts. */
export class Remembering implements Scorer {
  readonly #scores = new Map<string, number>();

  constructor(private readonly scorer: Scorer) {}

  async score(pairs: readonly TextPair[], options?: ScoreOptions): Promise<Float32Array> {
    const keys = pairs.map(({ a, b }) => `${a}\n${b}`);
    const unknown = pairs.filter((_, i) => !this.#scores.has(keys[i]));
    const scores = await this.scorer.score(unknown, options);
    unknown.forEach(({ a, b }, i) => this.#scores.set(`${a}\n${b}`, scores[i]));
    return Float32Array.from(keys, (key) => this.#scores.get(key)!);
  }

  forget(): void {
    this.#scores.clear();
  }

  close(): Promise<void> {
    return this.scorer.close();
  }
}
