/** A pair to score: `a` is the query or a chunk in its place, `b` the passage or chunk. */
export interface TextPair {
  readonly a: string;
  readonly b: string;
}

/** Options of one call of {@link Scorer.score}. */
export interface ScoreOptions {
  /** Takes effect between batches. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each batch with the number of pairs done so far. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Called once with the cost of the pairs. Scorers that cannot count tokens never call it. */
  readonly onCost?: (cost: ScoringCost) => void;
  /** The most word pieces of the second text (what the maximum length leaves it). Scorers on servers cut texts themselves. */
  readonly secondPieces?: number;
}

/** The cost of scored pairs. */
export interface ScoringCost {
  /** Tokens of the pairs, special ones included, padding left out. */
  readonly tokens: number;
  /** Floating-point operations of the model's matrix products, attention included. */
  readonly flops: number;
}

/** A model that gives the probability that `b` is relevant to `a`: embedded, remote, or your own. */
export interface Scorer {
  /** Probabilities in the order of the pairs. */
  score(pairs: readonly TextPair[], options?: ScoreOptions): Promise<Float32Array>;
  close(): Promise<void>;
}

/**
 * The special tokens around a model's two texts: `before a between b after`. BERT: `[CLS] a [SEP] b [SEP]`, the second
 * segment from b on; RoBERTa: `<s> a </s></s> b </s>`, one segment.
 */
export interface PairTemplate {
  readonly before: readonly number[];
  readonly between: readonly number[];
  readonly after: readonly number[];
  /** Token type of b and `after`; that of all tokens before them is 0. */
  readonly secondSegment: 0 | 1;
  readonly pad: number;
}

/** A tokenizer: text → word-piece ids, without special tokens. */
export interface Tokenizer {
  readonly vocabularySize: number;
  readonly template: PairTemplate;
  /** The word pieces of a text. Where only the first `most` are wanted, the end of a long text may be left out. */
  encode(text: string, most?: number): Int32Array;
}

/** The text files of a model, wherever they are. */
export interface ModelFiles {
  /** The folder or the address, for messages. */
  readonly place: string;
  /** The full name of a file, for messages. */
  nameOf(file: string): string;
  /** The text of a file; undefined if there is none. */
  text(file: string): Promise<string | undefined>;
}
