import type { IdBuffer } from './id-buffer.js';
import { CONTINUING, PieceTrie, STARTING } from './piece-trie.js';

export interface WordPieceOptions {
  readonly unknownId: number;
  /** The prefix of pieces that continue a word: `##`. */
  readonly continuingPrefix: string;
  /** Longer words (in code points) are unknown. */
  readonly maxWordCharacters: number;
}

/** WordPiece: greedy longest match from the left; a word that cannot be covered is one unknown token. */
export class WordPiece {
  private readonly trie = new PieceTrie();

  constructor(
    vocabulary: ReadonlyMap<string, number>,
    readonly options: WordPieceOptions,
  ) {
    const prefix = options.continuingPrefix;
    for (const [piece, id] of vocabulary) {
      if (piece === '') continue;
      this.trie.add(STARTING, piece, id);
      if (piece.startsWith(prefix)) this.trie.add(CONTINUING, piece.slice(prefix.length), id);
    }
  }

  /** Appends the pieces of one normalised word. */
  appendTo(out: IdBuffer, word: string): void {
    const { maxWordCharacters, unknownId } = this.options;
    if (word.length > maxWordCharacters && codePoints(word) > maxWordCharacters) return out.push(unknownId);
    const first = out.length;
    let root = STARTING;
    for (let start = 0; start < word.length; root = CONTINUING) {
      let longest = -1;
      let end = start;
      let node = root;
      for (let i = start; i < word.length;) {
        node = this.trie.child(node, word.charCodeAt(i++));
        if (node === 0) break;
        const id = this.trie.idAt(node);
        if (id === -1) continue;
        longest = id;
        end = i;
      }
      if (longest === -1) {
        out.length = first;
        return out.push(unknownId);
      }
      out.push(longest);
      start = end;
    }
  }
}

function codePoints(word: string): number {
  let count = 0;
  for (const _ of word) count++;
  return count;
}
