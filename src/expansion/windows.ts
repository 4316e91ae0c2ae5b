/** The shape of windows: `length` words, of which neighbours share `overlap`. */
export interface WindowShape {
  readonly length: number;
  readonly overlap: number;
}

/** A window: words `start` up to, not including, `end`. */
export interface WindowSpan {
  readonly start: number;
  readonly end: number;
}

/** The words of a text: white space is collapsed, then split on single spaces. No words: an empty array. */
export function wordsOf(text: string): string[] {
  const collapsed = text.trim();
  return collapsed === '' ? [] : collapsed.split(/\s+/);
}

/** White space other than U+0020. */
const otherSpace = /[^\S ]/;

/** A text with one space between its words. */
export interface CollapsedText {
  readonly text: string;
  /** Position of each word, and at the end the position of the next one. */
  readonly starts: readonly number[];
}

/** Collapses white space. A text that has none to collapse is returned as it is. */
export function collapsed(text: string): CollapsedText {
  const starts = otherSpace.test(text) ? undefined : wordStarts(text);
  if (starts) return { text, starts };
  const even = wordsOf(text).join(' ');
  return { text: even, starts: wordStarts(even) ?? [0] };
}

/** Positions of the words; undefined where a space does not separate two words. */
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
 * The windows of a text of `words` words. Starts are 0, length-overlap, 2(length-overlap)…; when fewer
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
