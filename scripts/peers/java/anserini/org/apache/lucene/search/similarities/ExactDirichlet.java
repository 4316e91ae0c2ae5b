package org.apache.lucene.search.similarities;

import org.apache.lucene.index.FieldInvertState;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.TermStatistics;

/**
 * Lucene's own Dirichlet formula on exact document lengths: norms hold the length itself, as in an index made with
 * Anserini's `-bm25.accurate`. It stands in Lucene's package because the formula is protected there.
 */
public final class ExactDirichlet extends Similarity {
  private final LMDirichletSimilarity lucene;

  public ExactDirichlet(float mu) {
    lucene = new LMDirichletSimilarity(mu);
  }

  @Override
  public long computeNorm(FieldInvertState state) {
    return state.getLength();
  }

  @Override
  public SimScorer scorer(float boost, CollectionStatistics collection, TermStatistics... terms) {
    BasicStats stats = lucene.newStats(collection.field(), boost);
    lucene.fillBasicStats(stats, collection, terms[0]);
    return new SimScorer() {
      @Override
      public float score(float frequency, long norm) {
        return (float) lucene.score(stats, frequency, norm);
      }
    };
  }
}
