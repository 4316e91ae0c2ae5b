/** The statistics of a collection, which weighting and feedback models use. */
export interface CollectionStatistics {
  /** N: all documents, empty ones included (as in Terrier). */
  readonly documents: number;
  /** Documents with at least one term (Lucene's `docCount`). */
  readonly nonEmptyDocuments: number;
  /** T: all term occurrences. */
  readonly tokens: number;
  /** Distinct terms. */
  readonly terms: number;
  readonly postings: number;
  /** The length of the longest document. */
  readonly maxLength: number;
}

/** The statistics of documents by their lengths in terms. */
export function statisticsOf(lengths: Uint32Array, terms: number, postings: number): CollectionStatistics {
  let nonEmptyDocuments = 0;
  let tokens = 0;
  let maxLength = 0;
  for (const length of lengths) {
    if (length > 0) nonEmptyDocuments++;
    tokens += length;
    maxLength = Math.max(maxLength, length);
  }
  return { documents: lengths.length, nonEmptyDocuments, tokens, terms, postings, maxLength };
}
