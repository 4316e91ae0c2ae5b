/** Text as one line of printable ASCII, see LuceneOracle. */
final class Escapes {
  static String read(String line) {
    if (line.indexOf('\\') < 0) return line;
    StringBuilder text = new StringBuilder(line.length());
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '\\') {
        c = (char) Integer.parseInt(line, i + 2, i + 6, 16);
        i += 5;
      }
      text.append(c);
    }
    return text.toString();
  }

  static void write(CharSequence text, StringBuilder out) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c > 0x20 && c < 0x7F && c != '\\') out.append(c);
      else out.append(String.format("\\u%04x", (int) c));
    }
  }
}
