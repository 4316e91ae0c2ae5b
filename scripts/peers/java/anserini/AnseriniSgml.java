import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.anserini.analysis.DefaultEnglishAnalyzer;
import io.anserini.collection.FileSegment;
import io.anserini.collection.TrecCollection;
import io.anserini.index.generator.DefaultLuceneDocumentGenerator;
import io.anserini.index.generator.EmptyDocumentException;
import java.io.BufferedWriter;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

/**
 * java AnseriniSgml FOLDER: the documents of a folder of SGML files as Anserini's own TREC collection gives them to the
 * index. A line {"id","file","terms"} per document.
 */
final class AnseriniSgml {
  public static void main(String[] args) throws Exception {
    var analyzer = DefaultEnglishAnalyzer.newDefaultInstance();
    var generator = new DefaultLuceneDocumentGenerator<TrecCollection.Document>();
    ObjectMapper json = new ObjectMapper();
    TrecCollection collection = new TrecCollection(Path.of(args[0]));
    try (var out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8))) {
      for (FileSegment<TrecCollection.Document> segment : collection) {
        for (TrecCollection.Document document : segment) {
          ObjectNode node = json.createObjectNode().put("id", document.id());
          var terms = node.putArray("terms");
          try {
            String contents = generator.createDocument(document).getField("contents").stringValue();
            try (var stream = analyzer.tokenStream("contents", contents)) {
              CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
              stream.reset();
              while (stream.incrementToken()) terms.add(term.toString());
              stream.end();
            }
          } catch (EmptyDocumentException e) {
            // A document without text is not indexed.
          }
          out.write(json.writeValueAsString(node));
          out.newLine();
        }
        segment.close();
      }
    }
  }
}
