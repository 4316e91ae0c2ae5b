import { passagesOf, type PassageShape, type Titled } from './passages.js';

/** What a candidate starts from. */
export interface CandidateInput {
  /** Its place in what the caller handed in. */
  readonly index: number;
  readonly id: string;
  readonly document: Titled;
  /** I(q,d); absent where the caller has no initial scores. */
  readonly initial: number | undefined;
  /** Its place in the initial ranking, from 1. */
  readonly initialRank: number;
}

/** One document of the ranking while it is re-ranked: what is known of it so far. */
export class Candidate {
  readonly index: number;
  readonly id: string;
  readonly document: Titled;
  readonly initial: number | undefined;
  readonly initialRank: number;
  /** None where the document has no words. */
  readonly passages: readonly string[];
  /** The best passage, once it is chosen; it stands for the document from then on. */
  passage: string | undefined;
  /** rel(q,d), Eq. 2, once it is known. */
  queryScore: number | undefined;
  /**
   * rel(c,d) for every chunk in the order of the chunks, NaN where it is not known. Before phase two, the chunks
   * and their number are unknown: one unknown score of weight 1 stands for all of them.
   */
  chunkScores: Float64Array = Float64Array.of(Number.NaN);
  unknownChunks = 1;

  constructor(input: CandidateInput, shape: PassageShape) {
    this.index = input.index;
    this.id = input.id;
    this.document = input.document;
    this.initial = input.initial;
    this.initialRank = input.initialRank;
    this.passages = passagesOf(input.document, shape);
    if (this.passages.length === 0) {
      // Nothing in it can be relevant: every score is 0, and no pair need be run.
      this.passage = '';
      this.queryScore = 0;
      this.expectChunks(1);
    } else if (this.passages.length === 1) {
      // The best of one is known without asking a model.
      this.passage = this.passages[0];
    }
  }

  get isEmpty(): boolean {
    return this.passages.length === 0;
  }

  /** Makes room for the scores of the chunks that phase two selected. */
  expectChunks(chunks: number): void {
    this.chunkScores = new Float64Array(chunks).fill(this.isEmpty ? 0 : Number.NaN);
    this.unknownChunks = this.isEmpty ? 0 : chunks;
  }

  setChunkScore(chunk: number, score: number): void {
    if (Number.isNaN(this.chunkScores[chunk])) this.unknownChunks--;
    this.chunkScores[chunk] = score;
  }

  isUnknown(chunk: number): boolean {
    return Number.isNaN(this.chunkScores[chunk]);
  }

  /** Whether everything that its final score is made of is known. */
  get settled(): boolean {
    return this.queryScore !== undefined && this.unknownChunks === 0;
  }
}

type Tied = Pick<CandidateInput, 'id' | 'index'>;

/** The order of equal scores: by id, byte by byte as the index breaks its ties, then as they were handed in. */
export function compareTied(a: Tied, b: Tied): number {
  if (a.id !== b.id) return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
  return a.index - b.index;
}
