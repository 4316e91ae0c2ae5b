import type { ScoreOptions, Scorer, TextPair } from '../../src/bert/types.js';

export type Probability = (a: string, b: string) => number;

/** A scorer whose probabilities are a function of the pair alone; it remembers what it was asked. */
export class FakeScorer implements Scorer {
  readonly asked: TextPair[] = [];
  /** Pairs per call of `score`. */
  readonly calls: number[] = [];
  closed = 0;

  constructor(
    private readonly probability: Probability,
    /** Milliseconds that each pair takes. */
    private readonly delay = 0,
  ) {}

  async score(pairs: readonly TextPair[], options: ScoreOptions = {}): Promise<Float32Array> {
    this.calls.push(pairs.length);
    this.asked.push(...pairs);
    if (this.delay > 0) await new Promise((done) => setTimeout(done, this.delay * pairs.length));
    options.onProgress?.(pairs.length, pairs.length);
    return Float32Array.from(pairs, ({ a, b }) => this.probability(a, b));
  }

  async close(): Promise<void> {
    this.closed++;
  }
}

/** A number in [0,1) that depends on every character (FNV-1a, then mixed). */
export function hashToUnit(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 13), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** The spread of a fake model's probabilities. */
export type Spread = 'even' | 'coarse' | 'extreme' | 'low';

export const spreads: readonly Spread[] = ['even', 'coarse', 'extreme', 'low'];

const shapes: Record<Spread, (unit: number) => number> = {
  even: (unit) => unit,
  // Many ties.
  coarse: (unit) => Math.floor(unit * 4) / 4,
  // Mostly exactly 0 or exactly 1, as a saturated softmax gives.
  extreme: (unit) => (unit < 0.45 ? 0 : unit > 0.8 ? 1 : unit),
  // A few relevant, the rest close to 0, as a trained model gives.
  low: (unit) => unit ** 6,
};

export function fakeModel(seed: number, spread: Spread): Probability {
  // A float32, as every scorer answers.
  return (a, b) => Math.fround(shapes[spread](hashToUnit(`${seed}\n${a}\n${b}`)));
}
