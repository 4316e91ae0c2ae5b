import io.anserini.analysis.AnalyzerUtils;
import io.anserini.analysis.DefaultEnglishAnalyzer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.FSDirectory;

/**
 * java LuceneSearch INDEX_DIR QUERIES.tsv: BM25 (k1 .9, b .4) and BM25+RM3, one thread, dynamic pruning on (Lucene's
 * default), external ids read for every result.
 */
final class LuceneSearch {
  private static final int K = 1000;
  private static final int FEEDBACK_DOCUMENTS = 10;

  private final Analyzer analyzer = DefaultEnglishAnalyzer.newDefaultInstance();
  private final IndexSearcher searcher;
  private final Rm3 rm3;

  private LuceneSearch(DirectoryReader reader) {
    searcher = new IndexSearcher(reader);
    searcher.setSimilarity(new BM25Similarity(0.9f, 0.4f));
    searcher.setQueryCache(null);
    rm3 = new Rm3(reader);
  }

  public static void main(String[] args) throws Exception {
    List<String> queries = Measure.queries(Path.of(args[1]));
    try (DirectoryReader reader = DirectoryReader.open(FSDirectory.open(Path.of(args[0])))) {
      LuceneSearch search = new LuceneSearch(reader);
      Measure.latency("lucene", "bm25", K, queries, search::bm25);
      Measure.latency("lucene", "bm25+rm3", K, queries, search::bm25Rm3);
    }
  }

  private int bm25(String text) throws IOException {
    return ids(searcher.search(Rm3.query(bag(terms(text))), K).scoreDocs).length;
  }

  private int bm25Rm3(String text) throws IOException {
    List<String> terms = terms(text);
    ScoreDoc[] feedback = searcher.search(Rm3.query(bag(terms)), FEEDBACK_DOCUMENTS).scoreDocs;
    return ids(searcher.search(rm3.expand(terms, feedback), K).scoreDocs).length;
  }

  private List<String> terms(String text) {
    return AnalyzerUtils.analyze(analyzer, text);
  }

  private static Map<String, Long> bag(List<String> terms) {
    return terms.stream().collect(Collectors.groupingBy(term -> term, Collectors.counting()));
  }

  /** External ids in rank order; doc values want ascending documents. */
  private String[] ids(ScoreDoc[] hits) throws IOException {
    Integer[] order = new Integer[hits.length];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, Comparator.comparingInt(i -> hits[i].doc));
    String[] ids = new String[hits.length];
    List<LeafReaderContext> leaves = searcher.getIndexReader().leaves();
    int leaf = -1;
    BinaryDocValues values = null;
    for (int i : order) {
      while (leaf < 0 || hits[i].doc >= leaves.get(leaf).docBase + leaves.get(leaf).reader().maxDoc()) {
        values = leaves.get(++leaf).reader().getBinaryDocValues(LuceneIndex.ID);
      }
      values.advanceExact(hits[i].doc - leaves.get(leaf).docBase);
      ids[i] = values.binaryValue().utf8ToString();
    }
    return ids;
  }
}
