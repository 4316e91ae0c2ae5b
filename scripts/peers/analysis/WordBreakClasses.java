import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;

/**
 * java WordBreakClasses: which code points Lucene's StandardTokenizer treats alike, found by asking it.
 *
 * <p>Every code point is put into each probe (at the dot), and the token boundaries are its signature; the width
 * of the code point itself is taken out. Output, tab-separated: a line "class, signature, an example" per distinct
 * signature, then a line "first, last, class" per run of code points, in hexadecimal. Class 0 has no line.
 */
final class WordBreakClasses {
  static final String EMOJI = "\uD83D\uDE00", VS = "\uFE0F", ZWJ = "\u200D", TAG = "\uDB40\uDC61", TERM = "\uDB40\uDC7F";
  static final String[] PROBES = {
    "\u0001", "\u0001\u0001", "a\u0001a", "1\u00011", "a\u00011", "1\u0001a", "\u30A2\u0001\u30A2", "\u30A2\u0001a", "a\u0001\u30A2",
    "\u05D0\u0001\u05D0", "\u05D0\u0001", "\u05D0\"\u0001", "_\u0001_", "_\u0001", "a'\u0001", "1,\u0001", "\u0E44\u0001\u0E44", "\u0E44\u0001",
    "#\u0001", "#" + VS + "\u0001", "\u0001\u20E3", "\u0001" + VS, EMOJI + "\u0001" + EMOJI, EMOJI + "\u0001" + VS, EMOJI + VS + "\u0001" + EMOJI,
    EMOJI + VS + "\u0001" + TERM, EMOJI + VS + TAG + "\u0001", EMOJI + VS + ZWJ + "\u0001" + VS, EMOJI + VS + ZWJ + ZWJ + "\u0001",
    ZWJ + "\u0001", "\uD83C\uDDFA\u0001\uD83C\uDDFA", "\uD83C\uDDFA\u0001", "\u6F22\u0001", "\u3042\u0001", "\uAC00\u0001",
  };

  public static void main(String[] args) throws Exception {
    StandardTokenizer tokenizer = new StandardTokenizer();
    OffsetAttribute offsets = tokenizer.getAttribute(OffsetAttribute.class);
    Map<String, Integer> classes = new HashMap<>();
    List<String> signatures = new ArrayList<>(), runs = new ArrayList<>();
    int first = 0, current = -1;
    for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT + 1; codePoint++) {
      boolean end = codePoint > Character.MAX_CODE_POINT;
      // Lone surrogates depend on their neighbours; the tokenizer gives them no class of their own.
      boolean surrogate = codePoint >= 0xD800 && codePoint <= 0xDFFF;
      String signature = end ? null : surrogate ? signatures.get(0) : signature(tokenizer, offsets, codePoint);
      if (!end && !classes.containsKey(signature)) {
        classes.put(signature, signatures.size());
        signatures.add(signature);
      }
      int next = end ? -2 : classes.get(signature);
      if (next != current) {
        if (current > 0) runs.add(String.format("%x\t%x\t%d", first, codePoint - 1, current));
        first = codePoint;
        current = next;
      }
    }
    Map<Integer, String> examples = new HashMap<>();
    for (String run : runs) examples.putIfAbsent(Integer.parseInt(run.split("\t")[2]), run.split("\t")[0]);
    for (int i = 0; i < signatures.size(); i++) {
      System.out.println("class\t" + i + "\t" + examples.getOrDefault(i, "0") + "\t" + signatures.get(i));
    }
    for (String run : runs) System.out.println("run\t" + run);
  }

  static String signature(StandardTokenizer tokenizer, OffsetAttribute offsets, int codePoint) throws Exception {
    String inserted = Character.toString(codePoint);
    StringBuilder signature = new StringBuilder();
    for (String probe : PROBES) {
      tokenizer.setReader(new StringReader(probe.replace("\u0001", inserted)));
      tokenizer.reset();
      while (tokenizer.incrementToken()) {
        signature.append(narrow(probe, offsets.startOffset(), inserted.length())).append('-');
        signature.append(narrow(probe, offsets.endOffset(), inserted.length())).append(' ');
      }
      tokenizer.end();
      tokenizer.close();
      signature.append('|');
    }
    return signature.toString();
  }

  /** The offset as it would be if the inserted code point were one unit wide. */
  static int narrow(String probe, int offset, int width) {
    int narrow = 0, wide = 0;
    while (wide < offset) wide += probe.charAt(narrow++) == '\u0001' ? width : 1;
    return narrow;
  }
}
