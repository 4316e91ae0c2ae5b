import { ownCopy } from '../../common/utf16.js';
import type { Tokenizer } from '../types.js';

/** The most word-piece ids kept by default: 4 M ids are 16 MB. */
const CACHED_IDS = 4_000_000;

/**
 * Characters of a text that are read. Only texts of which hardly anything is left by normalisation, or long words that no
 * vocabulary has, have fewer pieces in them than a model takes.
 */
const READ_CHARACTERS = 100_000;

/** The cost of an entry beside its ids (string, key, array), counted in ids. */
const ENTRY_OVERHEAD = 64;

/**
 * A cache of texts' word pieces. A passage is paired with eleven queries and chunks and a chunk with a thousand
 * passages, so tokenising per pair would cost more than a small model. The oldest texts are dropped when it is full.
 */
export class PieceCache {
  readonly #pieces = new Map<string, Int32Array>();
  #cost = 0;

  /** Pieces beyond `longest` are never used and not kept. */
  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly longest: number,
    private readonly most = CACHED_IDS,
  ) {}

  get(whole: string): Int32Array {
    const text = whole.length > READ_CHARACTERS ? whole.slice(0, READ_CHARACTERS) : whole;
    const known = this.#pieces.get(text);
    if (known) return known;
    const all = this.tokenizer.encode(text, this.longest);
    const pieces = all.length > this.longest ? all.slice(0, this.longest) : all;
    this.#pieces.set(ownCopy(text), pieces);
    this.#cost += pieces.length + text.length / 4 + ENTRY_OVERHEAD;
    if (this.#cost > this.most) this.#dropOldest();
    return pieces;
  }

  #dropOldest(): void {
    for (const [text, pieces] of this.#pieces) {
      if (this.#cost <= this.most / 2) return;
      this.#pieces.delete(text);
      this.#cost -= pieces.length + text.length / 4 + ENTRY_OVERHEAD;
    }
  }
}
