import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.anserini.analysis.AnalyzerUtils;
import io.anserini.analysis.DefaultEnglishAnalyzer;
import io.anserini.index.Constants;
import io.anserini.rerank.RerankerContext;
import io.anserini.rerank.lib.Rm3Reranker;
import io.anserini.search.ScoredDocs;
import io.anserini.search.SearchCollection;
import io.anserini.search.query.BagOfWordsQueryGenerator;
import io.anserini.search.similarity.AccurateBM25Similarity;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.similarities.ExactDirichlet;
import org.apache.lucene.search.similarities.LMDirichletSimilarity;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.store.FSDirectory;

/**
 * java AnseriniRun INDEX EXACT_INDEX QUERIES.tsv OUT_DIR
 *
 * <p>What SearchCollection does, by the same classes, but without its last step, which rounds scores to 4 decimals and
 * nudges ties apart. INDEX has Lucene's one-byte norms, EXACT_INDEX exact lengths (IndexCollection -bm25.accurate).
 * Writes MODEL.run and, with feedback, MODEL.queries.jsonl.
 */
final class AnseriniRun {
  private static final int DEPTH = 1000;
  private static final int FEEDBACK_DEPTH = 50; // SearchCollection's -rerankCutoff; RM3 reads the first 10 of them

  private final Analyzer analyzer = DefaultEnglishAnalyzer.newDefaultInstance();
  private final ObjectMapper json = new ObjectMapper();
  private final List<String> queries;
  private final Path out;

  private AnseriniRun(List<String> queries, Path out) {
    this.queries = queries;
    this.out = out;
  }

  public static void main(String[] args) throws Exception {
    AnseriniRun runs =
        new AnseriniRun(Files.readAllLines(Path.of(args[2])), Files.createDirectories(Path.of(args[3])));
    Map<String, Similarity> lossy = new LinkedHashMap<>();
    lossy.put("bm25", new BM25Similarity(0.9f, 0.4f));
    lossy.put("ql", new LMDirichletSimilarity(1000));
    runs.all(args[0], lossy);
    Map<String, Similarity> exact = new LinkedHashMap<>();
    exact.put("bm25-exact", new AccurateBM25Similarity(0.9f, 0.4f));
    exact.put("ql-exact", new ExactDirichlet(1000));
    runs.all(args[1], exact);
  }

  private void all(String index, Map<String, Similarity> models) throws Exception {
    try (DirectoryReader reader = DirectoryReader.open(FSDirectory.open(Path.of(index)))) {
      for (Map.Entry<String, Similarity> model : models.entrySet()) {
        IndexSearcher searcher = new IndexSearcher(reader);
        searcher.setSimilarity(model.getValue());
        plain(searcher, model.getKey());
        rm3(searcher, model.getKey().replaceFirst("^(bm25|ql)", "$1-rm3"));
      }
    }
  }

  private void plain(IndexSearcher searcher, String name) throws Exception {
    try (PrintWriter run = new PrintWriter(Files.newBufferedWriter(out.resolve(name + ".run")))) {
      for (String line : queries) {
        int tab = line.indexOf('\t');
        print(run, line.substring(0, tab), search(searcher, query(line.substring(tab + 1)), DEPTH), name);
      }
    }
  }

  private void rm3(IndexSearcher searcher, String name) throws Exception {
    Rm3Reranker<String> rm3 = new Rm3Reranker<>(analyzer, null, Constants.CONTENTS, 10, 10, 0.5f, false, true);
    SearchCollection.Args args = new SearchCollection.Args();
    args.hits = DEPTH;
    try (PrintWriter run = new PrintWriter(Files.newBufferedWriter(out.resolve(name + ".run")));
        PrintWriter weights = new PrintWriter(Files.newBufferedWriter(out.resolve(name + ".queries.jsonl")))) {
      for (String line : queries) {
        int tab = line.indexOf('\t');
        String id = line.substring(0, tab);
        String text = line.substring(tab + 1);
        Query query = query(text);
        RerankerContext<String> context = new RerankerContext<>(
            searcher, id, query, null, text, AnalyzerUtils.analyze(analyzer, text), null, args);
        print(run, id, rm3.rerank(search(searcher, query, FEEDBACK_DEPTH), context), name);
        ObjectNode node = json.createObjectNode().put("id", id);
        ObjectNode terms = node.putObject("expanded");
        new TreeMap<>(context.feedbackTerms).forEach(terms::put);
        weights.println(json.writeValueAsString(node));
      }
    }
  }

  private Query query(String text) {
    return new BagOfWordsQueryGenerator().buildQuery(Constants.CONTENTS, analyzer, text);
  }

  private static ScoredDocs search(IndexSearcher searcher, Query query, int depth) throws Exception {
    return ScoredDocs.fromTopDocs(
        searcher.search(query, depth, SearchCollection.BREAK_SCORE_TIES_BY_DOCID, true), searcher);
  }

  private static void print(PrintWriter run, String id, ScoredDocs hits, String tag) {
    for (int i = 0; i < hits.docids.length; i++) {
      run.printf("%s Q0 %s %d %s %s%n", id, hits.docids[i], i + 1, Float.toString(hits.scores[i]), tag);
    }
  }
}
