import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedWriter;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.terrier.indexing.Collection;
import org.terrier.indexing.Document;
import org.terrier.indexing.TRECCollection;
import org.terrier.terms.BaseTermPipelineAccessor;
import org.terrier.utility.ApplicationSetup;

/**
 * java TerrierSgml FILE...: the documents of SGML files as Terrier's own TREC reader gives them to the index. A line
 * {"id","terms"} per document. The tags are those that Terrier's trec_setup writes into terrier.properties.
 */
final class TerrierSgml {
  public static void main(String[] args) throws Exception {
    ApplicationSetup.setProperty("TrecDocTags.doctag", "DOC");
    ApplicationSetup.setProperty("TrecDocTags.idtag", "DOCNO");
    ApplicationSetup.setProperty("TrecDocTags.skip", "DOCHDR");
    ApplicationSetup.setProperty("TrecDocTags.casesensitive", "false");
    BaseTermPipelineAccessor pipeline = new BaseTermPipelineAccessor("Stopwords", "PorterStemmer");
    ObjectMapper json = new ObjectMapper();
    try (Collection collection = new TRECCollection(List.of(args), "TrecDocTags", "", "");
        var out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8))) {
      while (collection.nextDocument()) {
        Document document = collection.getDocument();
        ObjectNode node = json.createObjectNode().put("id", document.getProperty("docno"));
        var terms = node.putArray("terms");
        while (!document.endOfDocument()) {
          String token = document.getNextTerm();
          if (token == null || token.isEmpty()) continue;
          String term = pipeline.pipelineTerm(token);
          if (term != null) terms.add(term);
        }
        out.write(json.writeValueAsString(node));
        out.newLine();
      }
    }
  }
}
