import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.terrier.indexing.tokenisation.Tokeniser;
import org.terrier.matching.MatchingQueryTerms;
import org.terrier.querying.IndexRef;
import org.terrier.querying.Manager;
import org.terrier.querying.ManagerFactory;
import org.terrier.querying.Request;
import org.terrier.querying.ScoredDoc;
import org.terrier.querying.SearchRequest;
import org.terrier.utility.ApplicationSetup;

/**
 * java TerrierRun INDEX_DIR QUERIES.tsv OUT_DIR
 *
 * <p>Runs Terrier's models as `terrier batchretrieve` does: the query goes through the tokeniser, the tokens joined
 * by spaces through Terrier's query language, its term pipeline, matching, and (with feedback) QueryExpansion and a
 * second matching. Writes MODEL.run, and MODEL.queries.jsonl with the weights the last matching used.
 */
final class TerrierRun {
  private static final int DEPTH = 1000;

  /** A weighting model, optionally with an expansion model and its settings. */
  private record Setting(String name, String model, String expansion, int documents, int terms, boolean parameterFree) {
    static Setting plain(String name, String model) {
      return new Setting(name, model, null, 0, 0, true);
    }
  }

  private static final List<Setting> SETTINGS = List.of(
      Setting.plain("dph", "DPH"),
      Setting.plain("bm25", "BM25"),
      Setting.plain("dirichletlm", "DirichletLM"),
      new Setting("dph-kl", "DPH", "KL", 3, 10, true),
      new Setting("dph-bo1", "DPH", "Bo1", 3, 10, true),
      new Setting("dph-kl-d10t20", "DPH", "KL", 10, 20, true),
      new Setting("dph-kl-rocchio", "DPH", "KL", 3, 10, false));

  public static void main(String[] args) throws Exception {
    IndexRef index = IndexRef.of(Path.of(args[0]).toAbsolutePath() + "/data.properties");
    List<String> queries = Files.readAllLines(Path.of(args[1]));
    Path out = Files.createDirectories(Path.of(args[2]));
    ApplicationSetup.setProperty("rocchio.beta", "0.4");
    for (Setting setting : SETTINGS) {
      ApplicationSetup.setProperty("parameter.free.expansion", String.valueOf(setting.parameterFree));
      // A manager caches its modules, and those read properties when made: one manager per setting.
      run(ManagerFactory.from(index), queries, setting, out);
    }
  }

  private static void run(Manager manager, List<String> queries, Setting setting, Path out) throws Exception {
    ObjectMapper json = new ObjectMapper();
    try (PrintWriter run = new PrintWriter(Files.newBufferedWriter(out.resolve(setting.name + ".run")));
        PrintWriter weights = new PrintWriter(Files.newBufferedWriter(out.resolve(setting.name + ".queries.jsonl")))) {
      for (String line : queries) {
        int tab = line.indexOf('\t');
        SearchRequest request = search(manager, line.substring(0, tab), line.substring(tab + 1), setting);
        int rank = 0;
        for (ScoredDoc hit : request.getResults()) {
          if (rank == DEPTH) break;
          run.printf("%s Q0 %s %d %s %s%n", request.getQueryID(), hit.getMetadata("docno"), rank++,
              Double.toString(hit.getScore()), setting.name);
        }
        weights.println(json.writeValueAsString(describe(json, request)));
      }
    }
  }

  static SearchRequest search(Manager manager, String id, String text, Setting setting) throws Exception {
    String tokens = String.join(" ", Tokeniser.getTokeniser().getTokens(new StringReader(text)));
    SearchRequest request = manager.newSearchRequest(id, tokens);
    request.setControl(SearchRequest.CONTROL_WMODEL, setting.model);
    request.setControl("end", String.valueOf(DEPTH - 1));
    if (setting.expansion != null) {
      request.setControl("qe", "on");
      request.setControl("qemodel", setting.expansion);
      request.setControl("qe_fb_docs", String.valueOf(setting.documents));
      request.setControl("qe_fb_terms", String.valueOf(setting.terms));
    }
    manager.runSearchRequest(request);
    return request;
  }

  /** Query entries in Terrier's order with the weights of the last matching. */
  private static ObjectNode describe(ObjectMapper json, SearchRequest request) {
    ObjectNode node = json.createObjectNode().put("id", request.getQueryID());
    MatchingQueryTerms terms = ((Request) request).getMatchingQueryTerms();
    var list = node.putArray("matched");
    for (Map.Entry<?, MatchingQueryTerms.QueryTermProperties> term : terms) {
      list.addArray().add(term.getKey().toString()).add(term.getValue().getWeight());
    }
    return node;
  }
}
