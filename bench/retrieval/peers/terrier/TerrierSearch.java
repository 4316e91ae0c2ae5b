import java.io.StringReader;
import java.nio.file.Path;
import java.util.List;
import org.terrier.indexing.tokenisation.Tokeniser;
import org.terrier.querying.IndexRef;
import org.terrier.querying.Manager;
import org.terrier.querying.ManagerFactory;
import org.terrier.querying.SearchRequest;

/** java TerrierSearch INDEX_DIR QUERIES.tsv: DPH and DPH+KL (3 documents, 10 terms), one thread, ids read. */
final class TerrierSearch {
  private static final int K = 1000;

  public static void main(String[] args) throws Exception {
    List<String> queries = Measure.queries(Path.of(args[1]));
    Manager manager = ManagerFactory.from(IndexRef.of(Path.of(args[0]).toAbsolutePath() + "/data.properties"));
    Measure.latency("terrier", "dph", K, queries, text -> search(manager, text, false));
    Measure.latency("terrier", "dph+kl", K, queries, text -> search(manager, text, true));
  }

  private static int search(Manager manager, String text, boolean expand) throws Exception {
    String tokens = String.join(" ", Tokeniser.getTokeniser().getTokens(new StringReader(text)));
    SearchRequest request = manager.newSearchRequest("query", tokens);
    request.setControl(SearchRequest.CONTROL_WMODEL, "DPH");
    request.setControl("end", String.valueOf(K - 1));
    if (expand) {
      request.setControl("qe", "on");
      request.setControl("qemodel", "KL");
      request.setControl("qe_fb_docs", "3");
      request.setControl("qe_fb_terms", "10");
    }
    manager.runSearchRequest(request);
    return request.getResults().size();
  }
}
