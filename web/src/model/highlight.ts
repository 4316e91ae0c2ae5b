/** Words `start` up to, not including, `end` of a passage, cut out as the chunk of this place. */
export interface ChunkSpan {
  readonly chunk: number;
  readonly start: number;
  readonly end: number;
}

/** Neighbouring words that are marked in the same way. */
export interface Segment {
  readonly text: string;
  /** Places of the chunks that cover it: chunks overlap. */
  readonly chunks: readonly number[];
  /** A word that the reader looks for. */
  readonly isTerm: boolean;
}

/** Cuts a text, given as words, where its marking changes; joined by spaces the segments are the text again. */
export function segmentsOf(
  words: readonly string[],
  spans: readonly ChunkSpan[],
  isTerm: (word: string) => boolean = () => false,
): Segment[] {
  const segments: { words: string[]; chunks: number[]; isTerm: boolean }[] = [];
  words.forEach((word, at) => {
    const chunks = spans.filter(({ start, end }) => start <= at && at < end).map(({ chunk }) => chunk);
    const marked = isTerm(word);
    const last = segments.at(-1);
    if (last && last.isTerm === marked && sameChunks(last.chunks, chunks)) last.words.push(word);
    else segments.push({ words: [word], chunks, isTerm: marked });
  });
  return segments.map(({ words, ...marks }) => ({ text: words.join(' '), ...marks }));
}

function sameChunks(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((chunk, i) => chunk === b[i]);
}

/** A chunk with the words around it. */
export interface InContext {
  readonly before: string;
  readonly text: string;
  readonly after: string;
}

/** Up to `around` words on both sides, with an ellipsis where the passage goes on. */
export function inContext(passage: readonly string[], start: number, end: number, around = 5): InContext {
  const from = Math.max(0, start - around);
  const to = Math.min(passage.length, end + around);
  return {
    before: (from > 0 ? '… ' : '') + passage.slice(from, start).join(' '),
    text: passage.slice(start, end).join(' '),
    after: passage.slice(end, to).join(' ') + (to < passage.length ? ' …' : ''),
  };
}

/** The places, in a document's best passage, of the chunks that were cut from it. */
export function chunkSpans(
  document: string,
  chunks: readonly { readonly document: string; readonly start: number; readonly words: number }[],
): ChunkSpan[] {
  return chunks.flatMap(({ document: source, start, words }, chunk) =>
    source === document ? [{ chunk, start, end: start + words }] : [],
  );
}
