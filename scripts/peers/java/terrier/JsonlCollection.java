import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.terrier.indexing.Collection;
import org.terrier.indexing.Document;
import org.terrier.indexing.FileDocument;
import org.terrier.indexing.tokenisation.Tokeniser;

/**
 * A JSONL file as a Terrier collection: the tokeniser gets the contents as they are, no mark-up parser between.
 * Lines are {"id","contents"} or {"_id","title","text"}.
 */
final class JsonlCollection implements Collection {
  private final ObjectMapper json = new ObjectMapper();
  private final Tokeniser tokeniser = Tokeniser.getTokeniser();
  private final Path path;
  private BufferedReader reader;
  private String line;

  JsonlCollection(Path path) {
    this.path = path;
    reset();
  }

  @Override
  public boolean nextDocument() {
    try {
      line = reader.readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return line != null;
  }

  @Override
  public Document getDocument() {
    try {
      JsonNode fields = json.readTree(line);
      Map<String, String> properties = new HashMap<>();
      properties.put("docno", fields.has("id") ? fields.get("id").asText() : fields.get("_id").asText());
      return new FileDocument(new StringReader(contents(fields)), properties, tokeniser);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Title and text joined by one space, the text alone where there is no title. */
  static String contents(JsonNode fields) {
    if (fields.has("contents")) return fields.get("contents").asText();
    String title = fields.path("title").asText("");
    String text = fields.path("text").asText("");
    return title.isEmpty() ? text : title + " " + text;
  }

  @Override
  public boolean endOfCollection() {
    return line == null;
  }

  @Override
  public void reset() {
    try {
      close();
      reader = Files.newBufferedReader(path);
      line = "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    if (reader != null) reader.close();
  }
}
