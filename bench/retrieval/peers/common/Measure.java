import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** What both benchmarks share: timing queries, sizes, and one JSON line per measurement on stdout. */
final class Measure {
  private static final int QUERIES = 1000;
  private static final long WARM_UP_NANOS = 10_000_000_000L;
  private static final long MEASURED_NANOS = 30_000_000_000L;
  private static final ObjectMapper JSON = new ObjectMapper();

  interface Search {
    int run(String query) throws Exception; // how many results
  }

  static ObjectNode line(String system, String step) {
    return JSON.createObjectNode().put("system", system).put("step", step);
  }

  static void print(ObjectNode line) throws IOException {
    line.put("peakRssBytes", peakRss()).put("maxHeapBytes", Runtime.getRuntime().maxMemory());
    System.out.println(JSON.writeValueAsString(line));
  }

  static void indexing(String system, long documents, long nanos, Path index) throws IOException {
    double seconds = nanos / 1e9;
    print(line(system, "index").put("documents", documents).put("seconds", seconds)
        .put("documentsPerSecond", documents / seconds).put("indexBytes", folderSize(index)));
  }

  /** Whole passes over the queries, at least one and until 1000 queries or the time is reached; first to warm up. */
  static void latency(String system, String model, int k, List<String> queries, Search search) throws Exception {
    passes(queries, search, WARM_UP_NANOS, new ArrayList<>());
    List<Long> nanos = new ArrayList<>();
    long results = passes(queries, search, MEASURED_NANOS, nanos);
    long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    print(line(system, "search").put("model", model).put("k", k).put("queries", queries.size())
        .put("measured", sorted.length).put("meanResults", results / (double) sorted.length)
        .put("p50Ms", percentile(sorted, 50)).put("p99Ms", percentile(sorted, 99))
        .put("meanMs", Arrays.stream(sorted).average().orElse(0) / 1e6));
  }

  private static long passes(List<String> queries, Search search, long limit, List<Long> nanos) throws Exception {
    long results = 0;
    long start = System.nanoTime();
    do {
      for (String query : queries) {
        long before = System.nanoTime();
        results += search.run(query);
        nanos.add(System.nanoTime() - before);
      }
    } while (nanos.size() < QUERIES && System.nanoTime() - start < limit);
    return results;
  }

  /** Nearest rank. */
  private static double percentile(long[] sorted, double percent) {
    int rank = (int) Math.ceil(percent / 100 * sorted.length);
    return sorted[Math.max(0, rank - 1)] / 1e6;
  }

  static List<String> queries(Path tsv) throws IOException {
    try (Stream<String> lines = Files.lines(tsv)) {
      return lines.map(line -> line.substring(line.indexOf('\t') + 1)).toList();
    }
  }

  private static long folderSize(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  /** Linux's high-water mark of resident memory; memory-mapped index pages count. */
  private static long peakRss() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines.filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024).findFirst().orElse(0);
    }
  }
}
