/** The 33 words Lucene's English analyzer, and so Anserini's, leaves out. */
export const LUCENE_STOPWORDS: ReadonlySet<string> = new Set(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to
  was will with`.split(/\s+/),
);
