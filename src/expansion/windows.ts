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

/** White space that is not a space. */
const otherSpace = /[^\S ]/;

/** A text with one space between its words. */
export interface CollapsedText {
  readonly text: string;
  /** Where each word starts, and at the end where the next one would. */
  readonly starts: readonly number[];
}

/** Collapses white space: most texts are so already, and are given back as they are. */
export function collapsed(text: string): CollapsedText {
  const starts = otherSpace.test(text) ? undefined : wordStarts(text);
  if (starts) return { text, starts };
  const even = wordsOf(text).join(' ');
  return { text: even, starts: wordStarts(even) ?? [0] };
}

/** Undefined where between two spaces, or before the first or behind the last, there is no word. */
function wordStarts(text: string): number[] | undefined {
  const starts = [0];
  let start = 0;
  while (start <= text.length) {
    const space = text.indexOf(' ', start);
    const end = space < 0 ? text.length : space;
    if (end === start) return undefined;
    start = end + 1;
    starts.push(start);
  }
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
