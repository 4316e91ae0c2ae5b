import type { IdBuffer } from './id-buffer.js';

export interface WordPieceOptions {
  readonly unknownId: number;
  /** Marks pieces that continue a word: `##`. */
  readonly continuingPrefix: string;
  /** Longer words (in code points) are unknown. */
  readonly maxWordCharacters: number;
}

/** Greedy longest match from the left; a word that cannot be covered is one unknown token. */
export class WordPiece {
  private readonly starting: ReadonlyMap<string, number>;
  private readonly continuing = new Map<string, number>();
  /** In UTF-16 units: no longer piece can match. */
  private readonly longest: number;

  constructor(
    vocabulary: ReadonlyMap<string, number>,
    readonly options: WordPieceOptions,
  ) {
    this.starting = vocabulary;
    let longest = 0;
    for (const [piece, id] of vocabulary) {
      longest = Math.max(longest, piece.length);
      if (piece.startsWith(options.continuingPrefix)) {
        this.continuing.set(piece.slice(options.continuingPrefix.length), id);
      }
    }
    this.longest = longest;
  }

  /** Appends the pieces of one normalised word. */
  appendTo(out: IdBuffer, word: string): void {
    const { maxWordCharacters, unknownId } = this.options;
    if (word.length > maxWordCharacters && codePoints(word) > maxWordCharacters) return out.push(unknownId);
    const first = out.length;
    let pieces = this.starting;
    for (let start = 0; start < word.length; pieces = this.continuing) {
      let end = Math.min(word.length, start + this.longest);
      let id: number | undefined;
      while (end > start && (id = pieces.get(word.slice(start, end))) === undefined) end--;
      if (id === undefined) {
        out.length = first;
        return out.push(unknownId);
      }
      out.push(id);
      start = end;
    }
  }
}

function codePoints(word: string): number {
  let count = 0;
  for (const _ of word) count++;
  return count;
}
