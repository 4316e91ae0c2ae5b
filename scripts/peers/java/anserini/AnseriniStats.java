import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.anserini.index.Constants;
import java.nio.file.Path;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.FSDirectory;

/** java AnseriniStats INDEX TERM...: the statistics the index itself reports, as one JSON object. */
final class AnseriniStats {
  public static void main(String[] args) throws Exception {
    try (DirectoryReader reader = DirectoryReader.open(FSDirectory.open(Path.of(args[0])))) {
      CollectionStatistics collection = new IndexSearcher(reader).collectionStatistics(Constants.CONTENTS);
      long terms = 0;
      TermsEnum all = MultiTerms.getTerms(reader, Constants.CONTENTS).iterator();
      while (all.next() != null) terms++;
      ObjectMapper json = new ObjectMapper();
      ObjectNode node = json.createObjectNode()
          .put("documents", collection.docCount())
          .put("indexed", reader.numDocs())
          .put("tokens", collection.sumTotalTermFreq())
          .put("averageLength", collection.sumTotalTermFreq() / (double) collection.docCount())
          .put("terms", terms)
          .put("postings", collection.sumDocFreq());
      ObjectNode sample = node.putObject("sample");
      for (int i = 1; i < args.length; i++) {
        Term term = new Term(Constants.CONTENTS, args[i]);
        if (reader.docFreq(term) > 0) {
          sample.putObject(args[i]).put("df", reader.docFreq(term)).put("cf", reader.totalTermFreq(term));
        }
      }
      System.out.println(json.writeValueAsString(node));
    }
  }
}
