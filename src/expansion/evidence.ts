import { compareUtf8 } from '../common/order.js';
import { softmax } from './equations.js';
import { passagesOf, type PassageShape, type Titled } from './passages.js';

/** A document of the initial ranking. */
export interface RankedInput {
  /** Its place in the array of documents that was handed in. */
  readonly index: number;
  readonly id: string;
  readonly document: Titled;
  /** I(q,d); absent where there are no initial scores. */
  readonly initial: number | undefined;
  /** Its place in the initial ranking, from 1. */
  readonly initialRank: number;
}

/** A document that is re-ranked, with what is known of it. */
export class Candidate implements RankedInput {
  readonly index: number;
  readonly id: string;
  readonly document: Titled;
  readonly initial: number | undefined;
  readonly initialRank: number;
  /** None where the document has no words. */
  readonly passages: readonly string[];
  /** The passages among which the best one is chosen. */
  likelyPassages: readonly string[];
  /** The likeliest of them: the first one where nothing tells them apart. */
  likeliest: string | undefined;
  /** True for a document that led phase one, all of whose passages are compared by its model. */
  isLeading = false;
  /** The best passage, which stands for the document; undefined until it is chosen. */
  passage: string | undefined;
  /** rel(q,d), Eq. 2; undefined until it is known. */
  queryScore: number | undefined;
  /** rel(c,d) in the order of the chunks; undefined where it is not known. */
  chunkScores: (number | undefined)[] = [];

  constructor(input: RankedInput, shape: PassageShape) {
    this.index = input.index;
    this.id = input.id;
    this.document = input.document;
    this.initial = input.initial;
    this.initialRank = input.initialRank;
    this.passages = passagesOf(input.document, shape);
    this.likelyPassages = this.passages;
    this.likeliest = this.passages[0];
    this.keepPassages(() => true);
    if (this.isEmpty) {
      this.passage = '';
      this.queryScore = 0;
    }
  }

  /** Narrows the likely passages to those for whose places `isKept` is true. A single one is the best passage. */
  keepPassages(isKept: (at: number) => boolean): void {
    this.likelyPassages = this.likelyPassages.filter((_, at) => isKept(at));
    if (this.likelyPassages.length === 1) this.passage = this.likelyPassages[0];
  }

  /** True for a document without words. Nothing in it is relevant: its scores are 0 and no model is asked. */
  get isEmpty(): boolean {
    return this.passages.length === 0;
  }
}

/** A piece of a feedback document. */
export interface Chunk {
  readonly text: string;
  /** The feedback document that it was cut from. */
  readonly source: Candidate;
  /** Its first word, counted from 0 in the text that it was cut from. */
  readonly start: number;
}

/** A chunk with its relevance to the query. */
export interface ScoredChunk extends Chunk {
  /** rel(q,c), Eq. 3. */
  readonly score: number;
}

/** A chunk of C, the chunks that expand the query. */
export interface ExpansionChunk extends ScoredChunk {
  /** Its share in Eq. 4: the softmax of rel(q,c) over C. */
  readonly weight: number;
}

/**
 * The evidence for a query's ranking: everything that the models have said so far. It holds the candidates with
 * their best passages, rel(q,d) and rel(c,d), and the chunks of C with their weights. It does not depend on α and β.
 */
export class Evidence {
  /** C, best chunk first; undefined until phase two has selected it. Empty where the query is not expanded. */
  chunks: readonly ExpansionChunk[] | undefined;
  /** True until the leading documents are revised: rel(q,d) of documents with several passages may rise until then. */
  mayRise = false;
  /** Documents that phase one does not read: they follow the candidates in this order. */
  unread: readonly Candidate[] = [];
  /** The documents that phase three reads: all, unless only the first ones by phase one go on. */
  expanded: readonly Candidate[];

  constructor(
    readonly query: string,
    /** In the order of the initial ranking. */
    public candidates: readonly Candidate[],
  ) {
    this.expanded = candidates;
  }

  /** Narrows the candidates to the first ones of a ranking of them. */
  shortlist(ranking: readonly Candidate[], count: number): void {
    const kept = new Set(ranking.slice(0, count));
    this.unread = ranking.slice(count);
    this.candidates = this.candidates.filter((candidate) => kept.has(candidate));
    this.expanded = this.candidates;
  }

  /** Weights of the chunks in Eq. 4; none before phase two. */
  get weights(): readonly number[] {
    return this.chunks?.map(({ weight }) => weight) ?? [];
  }

  /** Takes the best chunks as C: their weights are the softmax of their scores. */
  expandWith(best: readonly ScoredChunk[]): void {
    const weights = softmax(best.map(({ score }) => score));
    this.chunks = best.map((chunk, i) => ({ ...chunk, weight: weights[i] }));
    for (const candidate of this.candidates) {
      candidate.chunkScores = best.map(() => (candidate.isEmpty ? 0 : undefined));
    }
  }

  /** Marks the first documents of phase one as leading. Returns those with several passages. */
  lead(count: number): Candidate[] {
    const leading = this.rankedByQuery()!
      .slice(0, count)
      .filter(({ passages }) => passages.length > 1);
    for (const candidate of leading) candidate.isLeading = true;
    return leading;
  }

  /** Phase one's ranking: by rel(q,d) alone. Undefined until all of them are known. */
  rankedByQuery(): Candidate[] | undefined {
    if (this.candidates.some(({ queryScore }) => queryScore === undefined)) return undefined;
    return [...this.candidates].sort((a, b) => b.queryScore! - a.queryScore! || compareTied(a, b));
  }
}

/** The order of equal scores: by id, in byte order as in the index, then as the documents were handed in. */
export function compareTied(a: Pick<RankedInput, 'id' | 'index'>, b: typeof a): number {
  return compareUtf8(a.id, b.id) || a.index - b.index;
}
