import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import org.terrier.querying.IndexRef;
import org.terrier.structures.CollectionStatistics;
import org.terrier.structures.Index;
import org.terrier.structures.IndexFactory;
import org.terrier.structures.LexiconEntry;

/** java TerrierStats INDEX_DIR TERM...: the statistics the index itself reports, as one JSON object. */
final class TerrierStats {
  public static void main(String[] args) throws Exception {
    Index index = IndexFactory.of(IndexRef.of(Path.of(args[0]).toAbsolutePath() + "/data.properties"));
    CollectionStatistics collection = index.getCollectionStatistics();
    ObjectMapper json = new ObjectMapper();
    ObjectNode node = json.createObjectNode()
        .put("documents", collection.getNumberOfDocuments())
        .put("tokens", collection.getNumberOfTokens())
        .put("averageLength", collection.getAverageDocumentLength())
        .put("terms", collection.getNumberOfUniqueTerms())
        .put("postings", collection.getNumberOfPostings());
    ObjectNode sample = node.putObject("sample");
    for (int i = 1; i < args.length; i++) {
      LexiconEntry entry = index.getLexicon().getLexiconEntry(args[i]);
      if (entry != null) {
        sample.putObject(args[i]).put("df", entry.getDocumentFrequency()).put("cf", entry.getFrequency());
      }
    }
    System.out.println(json.writeValueAsString(node));
  }
}
