import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import org.terrier.indexing.tokenisation.Tokeniser;
import org.terrier.terms.BaseTermPipelineAccessor;
import org.terrier.terms.PorterStemmer;
import org.terrier.terms.TermPipelineAccessor;

/**
 * java TerrierOracle terms|porter: a line of text in, its terms out, separated by spaces, escaped as for LuceneOracle.
 *
 * <p>"terms" is Terrier's default tokeniser and term pipeline; "porter" takes the line as one token.
 */
final class TerrierOracle {
  public static void main(String[] args) throws Exception {
    boolean whole = args[0].equals("porter");
    if (!whole && !args[0].equals("terms")) throw new IllegalArgumentException("unknown: " + args[0]);
    PorterStemmer stemmer = new PorterStemmer();
    Tokeniser tokeniser = Tokeniser.getTokeniser();
    TermPipelineAccessor pipeline = new BaseTermPipelineAccessor("Stopwords", "PorterStemmer");
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    try (var out = new PrintStream(System.out, false, StandardCharsets.US_ASCII)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String text = Escapes.read(line);
        StringBuilder terms = new StringBuilder();
        if (whole) {
          Escapes.write(stemmer.stem(text), terms);
        } else {
          for (String token : tokeniser.getTokens(new StringReader(text))) {
            String term = pipeline.pipelineTerm(token);
            if (term == null) continue;
            if (terms.length() > 0) terms.append(' ');
            Escapes.write(term, terms);
          }
        }
        out.println(terms);
      }
    }
  }
}
