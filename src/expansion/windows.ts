/** How a text is cut: windows of `length` words, neighbours sharing `overlap` of them. */
export interface WindowShape {
  readonly length: number;
  readonly overlap: number;
}

/** Words `start` up to, not including, `end`. */
export interface WindowSpan {
  readonly start: number;
  readonly end: number;
}

/** The words of a text: white space is collapsed, then split on single spaces. No words: an empty array. */
export function wordsOf(text: string): string[] {
  const collapsed = text.trim();
  return collapsed === '' ? [] : collapsed.split(/\s+/);
}

/** White space that is not one space between two words. */
const uneven = /[^\S ]| {2}|^ | $/;

/** The words of a text with one space between them: most texts are so already, and are given back as they are. */
export function collapsed(text: string): string {
  return uneven.test(text) ? wordsOf(text).join(' ') : text;
}

/** Where each word of a collapsed text starts, and at the end where the next one would. */
export function wordStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) starts.push(at + 1);
  starts.push(text.length + 1);
  return starts;
}

/**
 * Where the windows of a text of `words` words lie. Starts are 0, length-overlap, 2(length-overlap)…; when fewer
 * than `overlap` words would remain after a window's end, that window takes them all and is the last one. So no
 * window is a suffix of another, and the last one holds up to length+overlap-1 words.
 */
export function windowSpans(words: number, { length, overlap }: WindowShape): WindowSpan[] {
  const spans: WindowSpan[] = [];
  for (let start = 0; start < words; start += length - overlap) {
    const remain = words - (start + length);
    const end = remain < overlap ? words : start + length;
    spans.push({ start, end });
    if (end === words) break;
  }
  return spans;
}
