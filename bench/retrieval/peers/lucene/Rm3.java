import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.util.BytesRef;

/**
 * RM3 with Anserini's rules (tests/fixtures/peers/README.md) on Lucene's term vectors, without the stored documents
 * Anserini loads on the way: the fastest form a Lucene user would write.
 */
final class Rm3 {
  private static final int DOCUMENTS = 10;
  private static final int TERMS = 10;
  private static final float ORIGINAL_WEIGHT = 0.5f;
  private static final float MAX_DOCUMENT_SHARE = 0.1f;

  private final IndexReader reader;

  Rm3(IndexReader reader) {
    this.reader = reader;
  }

  Query expand(List<String> queryTerms, ScoreDoc[] hits) throws IOException {
    Map<String, Float> model = new HashMap<>();
    for (int i = 0; i < Math.min(DOCUMENTS, hits.length); i++) {
      Map<String, Float> bag = heaviest(eligible(hits[i].doc));
      float sum = sum(bag);
      float score = hits[i].score;
      bag.forEach((term, tf) -> model.merge(term, tf / sum * score, Float::sum));
    }
    Map<String, Float> feedback = heaviest(model);
    Map<String, Float> weights = new HashMap<>();
    queryTerms.forEach(term -> weights.merge(term, ORIGINAL_WEIGHT / queryTerms.size(), Float::sum));
    float sum = sum(feedback);
    feedback.forEach((term, weight) -> weights.merge(term, (1 - ORIGINAL_WEIGHT) * weight / sum, Float::sum));
    return query(weights);
  }

  static Query query(Map<String, ? extends Number> weights) {
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    weights.forEach((term, weight) -> builder.add(
        new BoostQuery(new TermQuery(new Term(LuceneIndex.CONTENTS, term)), weight.floatValue()),
        BooleanClause.Occur.SHOULD));
    return builder.build();
  }

  private Map<String, Float> eligible(int document) throws IOException {
    Map<String, Float> bag = new HashMap<>();
    Terms vector = reader.termVectors().get(document, LuceneIndex.CONTENTS);
    if (vector == null) return bag;
    TermsEnum terms = vector.iterator();
    for (BytesRef bytes = terms.next(); bytes != null; bytes = terms.next()) {
      if (bytes.length < 2 || bytes.length > 20 || !alphanumeric(bytes)) continue;
      String term = bytes.utf8ToString();
      int df = reader.docFreq(new Term(LuceneIndex.CONTENTS, term));
      if ((float) df / reader.numDocs() <= MAX_DOCUMENT_SHARE) bag.put(term, (float) terms.totalTermFreq());
    }
    return bag;
  }

  private static boolean alphanumeric(BytesRef term) {
    for (int i = term.offset; i < term.offset + term.length; i++) {
      byte b = term.bytes[i];
      if (!(b >= 'a' && b <= 'z' || b >= '0' && b <= '9')) return false;
    }
    return true;
  }

  private static Map<String, Float> heaviest(Map<String, Float> weights) {
    Comparator<Map.Entry<String, Float>> order = Map.Entry.comparingByValue(Comparator.reverseOrder());
    return weights.entrySet().stream().sorted(order.thenComparing(Map.Entry.comparingByKey())).limit(TERMS)
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static float sum(Map<String, Float> weights) {
    float sum = 0;
    for (float weight : weights.values()) sum += weight;
    return sum;
  }
}
