import type { Analyzer } from '../analysis/index.js';
import type { FeedbackSource } from '../feedback/index.js';
import type { CollectionStatistics, IndexedTerm, Postings } from '../index/index.js';

/** The part of an index that a search uses: {@link Index} in files, or {@link MemoryIndex}. */
export interface SearchableIndex extends FeedbackSource {
  readonly statistics: CollectionStatistics;
  readonly analyzer: Analyzer;
  readonly lengths: Uint32Array;
  /** The rank of every document's id in byte order, by document number; it breaks ties. */
  readonly idRanks: Uint32Array;
  documentId(number: number): string;
  term(name: string): IndexedTerm | undefined;
  postings(term: IndexedTerm): Postings;
}
