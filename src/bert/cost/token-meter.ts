import { readModelConfig } from '../config.js';
import { loadTokenizer, type TextPair, type Tokenizer } from '../index.js';
import { budgetFor, type Budget } from '../sequence.js';
import { type SequenceCount, SequenceTotal } from './encoder-flops.js';
import type { EncoderShape } from './sizes.js';

/** Tells how much text pairs are to a model, and what the model's cost depends on. */
export interface Meter {
  readonly shape: EncoderShape;
  /** Tokens of one pair. */
  lengthOf(pair: TextPair): number;
  count(pairs: readonly TextPair[]): SequenceCount;
}

/** Counts pairs whose lengths in tokens can be told. */
export function sequenceCount(
  pairs: readonly TextPair[],
  lengthOf: (pair: TextPair) => number,
): SequenceCount {
  return countOf(pairs.map(lengthOf));
}

/** Counts sequences by their lengths in tokens. */
export function countOf(lengths: ArrayLike<number>): SequenceCount {
  const total = new SequenceTotal();
  for (let i = 0; i < lengths.length; i++) total.add(lengths[i]);
  return total;
}

/** Texts whose lengths are remembered: those of a few queries, a passage being met with every chunk. */
const remembered = 5000;

/** Counts the tokens that a BERT model is fed: word pieces as its tokenizer cuts and its scorer truncates them. */
export class TokenMeter implements Meter {
  readonly #pieces = new Map<string, number>();
  readonly #specials: number;
  readonly #budget: Budget;

  private constructor(
    readonly shape: EncoderShape,
    private readonly tokenizer: Tokenizer,
    maxLength: number,
  ) {
    const { before, between, after } = tokenizer.template;
    this.#specials = before.length + between.length + after.length;
    this.#budget = budgetFor(maxLength, tokenizer.template);
  }

  static async of(folder: string, maxLength: number): Promise<TokenMeter> {
    return new TokenMeter(await readModelConfig(folder), await loadTokenizer(folder), maxLength);
  }

  count(pairs: readonly TextPair[]): SequenceCount {
    return sequenceCount(pairs, (pair) => this.lengthOf(pair));
  }

  lengthOf({ a, b }: TextPair): number {
    return (
      this.#specials +
      Math.min(this.#piecesOf(a), this.#budget.first) +
      Math.min(this.#piecesOf(b), this.#budget.second)
    );
  }

  #piecesOf(text: string): number {
    let pieces = this.#pieces.get(text);
    if (pieces === undefined) {
      if (this.#pieces.size >= remembered) this.#pieces.clear();
      pieces = this.tokenizer.encode(text).length;
      this.#pieces.set(text, pieces);
    }
    return pieces;
  }
}
