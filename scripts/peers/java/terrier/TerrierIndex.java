import java.nio.file.Files;
import java.nio.file.Path;
import org.terrier.indexing.Collection;
import org.terrier.structures.indexing.classical.BasicIndexer;
import org.terrier.utility.ApplicationSetup;

/** java TerrierIndex DOCS.jsonl INDEX_DIR: Terrier's classical indexer (inverted and direct index), all defaults. */
final class TerrierIndex {
  public static void main(String[] args) throws Exception {
    Path index = Path.of(args[1]).toAbsolutePath();
    Files.createDirectories(index);
    ApplicationSetup.setProperty("indexer.meta.forward.keys", "docno");
    ApplicationSetup.setProperty("indexer.meta.forward.keylens", "40");
    ApplicationSetup.setProperty("indexer.meta.reverse.keys", "docno");
    BasicIndexer indexer = new BasicIndexer(index.toString(), "data");
    indexer.index(new Collection[] {new JsonlCollection(Path.of(args[0]))});
  }
}
