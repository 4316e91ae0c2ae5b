/** The shape of windows: `length` words, of which neighbours share `overlap`. */
export interface WindowShape {
  readonly length: number;
  readonly overlap: number;
}

/** Windows of a length whose neighbours share half of their words, rounded down. */
export function halfOverlapping(length: number): WindowShape {
  return { length, overlap: Math.floor(length / 2) };
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

const space = 0x20;

/** White space as `\s` has it. */
function isSpace(code: number): boolean {
  if (code < 0x80) return code === space || (code >= 0x09 && code <= 0x0d);
  if (code < 0x1680) return code === 0xa0;
  if (code > 0x205f) return code === 0x3000 || code === 0xfeff;
  if (code < 0x2000) return code === 0x1680;
  return code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f;
}

/** The number of words of a text. */
export function countWords(text: string): number {
  let words = 0;
  let isAfterSpace = true;
  for (let i = 0; i < text.length; i++) {
    const isBetween = isSpace(text.charCodeAt(i));
    if (isAfterSpace && !isBetween) words++;
    isAfterSpace = isBetween;
  }
  return words;
}

/** A text with one space between its words. */
export interface CollapsedText {
  readonly text: string;
  /** Position of each word, and at the end the position of the next one. */
  readonly starts: readonly number[];
}

/**
 * Collapses white space. A text that has none to collapse is returned as it is. Splitting and joining would take several
 * times as long, and a text may have a million words.
 */
export function collapsed(text: string): CollapsedText {
  const trimmed = text.trim();
  const starts = wordStarts(trimmed);
  return starts ? { text: trimmed, starts } : rewritten(trimmed);
}

/** Positions of the words; undefined where anything but a single space separates words. */
function wordStarts(text: string): number[] | undefined {
  const starts: number[] = [];
  let isAfterSpace = true;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (!isSpace(code)) {
      if (isAfterSpace) starts.push(i);
      isAfterSpace = false;
    } else if (isAfterSpace || code !== space) {
      return undefined;
    } else {
      isAfterSpace = true;
    }
  }
  if (isAfterSpace) return undefined;
  starts.push(text.length + 1);
  return starts;
}

/** Arguments of one call. */
const unitsAtOnce = 4096;

function rewritten(text: string): CollapsedText {
  const units = new Uint16Array(text.length + 1);
  const starts: number[] = [];
  let length = 0;
  let isAfterSpace = true;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isSpace(code)) {
      isAfterSpace = true;
      continue;
    }
    if (isAfterSpace) {
      if (length > 0) units[length++] = space;
      starts.push(length);
      isAfterSpace = false;
    }
    units[length++] = code;
  }
  if (length === 0) return { text: '', starts: [0] };
  starts.push(length + 1);
  let even = '';
  for (let i = 0; i < length; i += unitsAtOnce) {
    // Spreading the units would take ten times as long.
    even += String.fromCharCode.apply(
      undefined,
      units.subarray(i, Math.min(i + unitsAtOnce, length)) as never,
    );
  }
  return { text: even, starts };
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
