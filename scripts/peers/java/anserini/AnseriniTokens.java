import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.anserini.analysis.AnalyzerUtils;
import io.anserini.analysis.DefaultEnglishAnalyzer;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import org.apache.lucene.analysis.Analyzer;

/** java AnseriniTokens < LINES.jsonl: {"id","contents"} in, {"id","terms"} out, by Anserini's default analyzer. */
final class AnseriniTokens {
  public static void main(String[] args) throws Exception {
    Analyzer analyzer = DefaultEnglishAnalyzer.newDefaultInstance();
    ObjectMapper json = new ObjectMapper();
    try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        JsonNode fields = json.readTree(line);
        ObjectNode node = json.createObjectNode().put("id", fields.get("id").asText());
        var terms = node.putArray("terms");
        AnalyzerUtils.analyze(analyzer, fields.get("contents").asText()).forEach(terms::add);
        out.write(json.writeValueAsString(node));
        out.newLine();
      }
    }
  }
}
