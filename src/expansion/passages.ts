import { collapsed, windowSpans, wordsOf, type WindowShape } from './windows.js';

/** The shape of a document's passages. */
export interface PassageShape extends WindowShape {
  /** Words of the title that go in front of every passage; 0 leaves titles out. */
  readonly titleWords: number;
}

/** A text with its title. */
export interface Titled {
  readonly title?: string | undefined;
  readonly text: string;
}

/**
 * The passages of a document: windows over its words, each with the title in front. A document without words is
 * its title; without that too it has no passage.
 */
export function passagesOf(document: Titled, shape: PassageShape): string[] {
  const title = shape.titleWords > 0 ? titleOf(document, shape.titleWords) : [];
  const { text, starts } = collapsed(document.text);
  if (text === '') return title.length === 0 ? [] : [title.join(' ')];
  const before = title.map((word) => `${word} `).join('');
  // Slices of the text: joining words again is measurably slower.
  return windowSpans(starts.length - 1, shape).map(
    ({ start, end }) => before + text.slice(starts[start], starts[end] - 1),
  );
}

/** The whole document as one text, its title in front as in a passage. */
export function wholeText(document: Titled, { titleWords }: Pick<PassageShape, 'titleWords'>): string {
  const title = titleWords > 0 ? titleOf(document, titleWords) : [];
  return [...title, ...wordsOf(document.text)].join(' ');
}

/** The first words of the title; none where it is empty or `.`, Robust04's mark for "no title". */
function titleOf({ title = '' }: Titled, titleWords: number): string[] {
  const words = wordsOf(title).slice(0, titleWords);
  return words.length === 1 && words[0] === '.' ? [] : words;
}
