import java.nio.file.Files;
import java.nio.file.Path;
import org.terrier.indexing.Collection;
import org.terrier.querying.IndexRef;
import org.terrier.structures.Index;
import org.terrier.structures.IndexFactory;
import org.terrier.structures.indexing.classical.BasicIndexer;
import org.terrier.utility.ApplicationSetup;

/**
 * java TerrierBenchIndex DOCS.jsonl INDEX_DIR: Terrier's classical indexer, the one that also writes the direct index
 * expansion needs; default analysis, document ids kept, text not.
 */
final class TerrierBenchIndex {
  public static void main(String[] args) throws Exception {
    Path index = Files.createDirectories(Path.of(args[1]).toAbsolutePath());
    ApplicationSetup.setProperty("indexer.meta.forward.keys", "docno");
    ApplicationSetup.setProperty("indexer.meta.forward.keylens", "40");
    ApplicationSetup.setProperty("indexer.meta.reverse.keys", "");
    long start = System.nanoTime();
    new BasicIndexer(index.toString(), "data").index(new Collection[] {new JsonlCollection(Path.of(args[0]))});
    long nanos = System.nanoTime() - start;
    try (Index built = IndexFactory.of(IndexRef.of(index + "/data.properties"))) {
      Measure.indexing("terrier", built.getCollectionStatistics().getNumberOfDocuments(), nanos, index);
    }
  }
}
