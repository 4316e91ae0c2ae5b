import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.terrier.indexing.tokenisation.Tokeniser;
import org.terrier.terms.BaseTermPipelineAccessor;
import org.terrier.terms.TermPipelineAccessor;
import org.terrier.utility.ApplicationSetup;

/**
 * java TerrierTokens TOKENISER [PIPELINE...] < LINES.jsonl
 *
 * <p>{"id","contents"} in; {"id","terms"} out: what the pipeline (Terrier's default is Stopwords PorterStemmer) lets
 * through; without one, the surface tokens.
 */
final class TerrierTokens {
  public static void main(String[] args) throws Exception {
    ApplicationSetup.setProperty("tokeniser", args[0]);
    Tokeniser tokeniser = Tokeniser.getTokeniser();
    TermPipelineAccessor pipeline = new BaseTermPipelineAccessor(Arrays.copyOfRange(args, 1, args.length));
    ObjectMapper json = new ObjectMapper();
    try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        JsonNode fields = json.readTree(line);
        ObjectNode node = json.createObjectNode().put("id", fields.get("id").asText());
        var terms = node.putArray("terms");
        for (String token : tokeniser.getTokens(new StringReader(fields.get("contents").asText()))) {
          String term = pipeline.pipelineTerm(token);
          if (term != null) terms.add(term);
        }
        out.write(json.writeValueAsString(node));
        out.newLine();
      }
    }
  }
}
