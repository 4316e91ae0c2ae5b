import type { IdBuffer } from './id-buffer.js';

export interface WordPieceOptions {
  readonly unknownId: number;
  /** The prefix of pieces that continue a word: `##`. */
  readonly continuingPrefix: string;
  /** Longer words (in code points) are unknown. */
  readonly maxWordCharacters: number;
}

/** The roots of pieces that start a word and of pieces that continue one. */
const STARTING = 0;
const CONTINUING = 1;

/** Numbers in a row of the edge table: parent node, UTF-16 unit, child node (0: free, as no edge leads to a root). */
const FIELDS = 3;

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

/**
 * A trie over the pieces of a vocabulary, in which the longest match takes one walk along the word. Edges are kept in
 * one open-addressed table: vocabularies of many scripts have thousands of children at the root.
 */
class PieceTrie {
  private edges = new Int32Array(FIELDS * 1024);
  private ids = new Int32Array(256).fill(-1);
  /** The number of nodes, the two roots included. */
  private nodes = 2;

  add(root: number, piece: string, id: number): void {
    let node = root;
    for (let i = 0; i < piece.length; i++) {
      const unit = piece.charCodeAt(i);
      node = this.child(node, unit) || this.addChild(node, unit);
    }
    this.ids[node] = id;
  }

  /** The node below `node` along `unit`, or 0. */
  child(node: number, unit: number): number {
    const { edges } = this;
    for (let row = this.firstRow(node, unit); ; row = (row + FIELDS) % edges.length) {
      const child = edges[row + 2];
      if (child === 0 || (edges[row] === node && edges[row + 1] === unit)) return child;
    }
  }

  /** The id of the piece that ends at this node, or -1. */
  idAt(node: number): number {
    return this.ids[node];
  }

  private addChild(node: number, unit: number): number {
    if (2 * FIELDS * this.nodes >= this.edges.length) this.grow();
    const child = this.nodes++;
    if (child === this.ids.length) {
      const ids = new Int32Array(2 * child).fill(-1);
      ids.set(this.ids);
      this.ids = ids;
    }
    this.insert(node, unit, child);
    return child;
  }

  private insert(node: number, unit: number, child: number): void {
    const { edges } = this;
    let row = this.firstRow(node, unit);
    while (edges[row + 2] !== 0) row = (row + FIELDS) % edges.length;
    edges[row] = node;
    edges[row + 1] = unit;
    edges[row + 2] = child;
  }

  private grow(): void {
    const old = this.edges;
    this.edges = new Int32Array(2 * old.length);
    for (let row = 0; row < old.length; row += FIELDS) {
      if (old[row + 2] !== 0) this.insert(old[row], old[row + 1], old[row + 2]);
    }
  }

  private firstRow(node: number, unit: number): number {
    const hash = Math.imul(Math.imul(node, 0x9e3779b1) ^ unit, 0x85ebca6b);
    return FIELDS * ((hash ^ (hash >>> 15)) & (this.edges.length / FIELDS - 1));
  }
}
