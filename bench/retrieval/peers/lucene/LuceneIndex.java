import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anserini.analysis.DefaultEnglishAnalyzer;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;

/**
 * java LuceneIndex DOCS.jsonl INDEX_DIR: one thread, merges included. The index holds what ours holds: document ids,
 * frequencies without positions, term vectors (for RM3) and the text; Anserini's analyzer.
 */
final class LuceneIndex {
  static final String ID = "id";
  static final String CONTENTS = "contents";
  private static final double BUFFER_MB = 256;

  public static void main(String[] args) throws Exception {
    Path index = Path.of(args[1]);
    IndexWriterConfig config = new IndexWriterConfig(DefaultEnglishAnalyzer.newDefaultInstance())
        .setOpenMode(IndexWriterConfig.OpenMode.CREATE)
        .setRAMBufferSizeMB(BUFFER_MB)
        .setMergeScheduler(new SerialMergeScheduler())
        .setUseCompoundFile(false);
    FieldType contents = new FieldType();
    contents.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    contents.setStoreTermVectors(true);
    contents.setStored(true);
    contents.freeze();

    ObjectMapper json = new ObjectMapper();
    long documents = 0;
    long start = System.nanoTime();
    try (IndexWriter writer = new IndexWriter(FSDirectory.open(index), config);
        BufferedReader lines = Files.newBufferedReader(Path.of(args[0]))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode fields = json.readTree(line);
        String id = fields.get("_id").asText();
        String title = fields.path("title").asText("");
        String text = fields.path("text").asText("");
        Document document = new Document();
        document.add(new StringField(ID, id, Field.Store.NO));
        document.add(new BinaryDocValuesField(ID, new BytesRef(id)));
        document.add(new Field(CONTENTS, title.isEmpty() ? text : title + " " + text, contents));
        writer.addDocument(document);
        documents++;
      }
      writer.commit();
    }
    Measure.indexing("lucene", documents, System.nanoTime() - start, index);
  }
}
