import io.anserini.analysis.DefaultEnglishAnalyzer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.core.KeywordTokenizer;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

/**
 * java LuceneOracle tokens|plain|terms|lower|porter: a line of text in, its terms out, separated by spaces.
 *
 * <p>"terms" is Anserini's default analyzer; "tokens" the StandardTokenizer alone; "plain" that and lower case;
 * "lower" and "porter" take the line as one token. Everything outside printable ASCII, and the backslash, is
 * written as backslash, u and four hexadecimal digits, both ways, so that lone surrogates survive.
 */
final class LuceneOracle {
  public static void main(String[] args) throws Exception {
    Analyzer analyzer = args[0].equals("terms") ? DefaultEnglishAnalyzer.newDefaultInstance() : chain(args[0]);
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    try (var out = new PrintStream(System.out, false, StandardCharsets.US_ASCII)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        StringBuilder terms = new StringBuilder();
        try (TokenStream stream = analyzer.tokenStream("text", Escapes.read(line))) {
          CharTermAttribute term = stream.getAttribute(CharTermAttribute.class);
          stream.reset();
          while (stream.incrementToken()) {
            if (terms.length() > 0) terms.append(' ');
            Escapes.write(term, terms);
          }
          stream.end();
        }
        out.println(terms);
      }
    }
  }

  static Analyzer chain(String kind) {
    return new Analyzer() {
      @Override
      protected TokenStreamComponents createComponents(String field) {
        boolean whole = kind.equals("lower") || kind.equals("porter");
        Tokenizer source = whole ? new KeywordTokenizer() : new StandardTokenizer();
        TokenStream result = switch (kind) {
          case "tokens" -> source;
          case "plain", "lower" -> new LowerCaseFilter(source);
          case "porter" -> new PorterStemFilter(source);
          default -> throw new IllegalArgumentException("unknown: " + kind);
        };
        return new TokenStreamComponents(source, result);
      }
    };
  }
}
