import { scalarValueAt, propertyTable, SPACE, WORD } from './unicode.js';

/** A token found in the text itself, ahead of the vocabulary: `[SEP]`, `[MASK]`, or what a user added. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Found only as a whole word. */
  readonly singleWord: boolean;
  /** Includes the white space on its left, or right. */
  readonly stripLeft: boolean;
  readonly stripRight: boolean;
  /** Found in the normalised text instead of the raw text. */
  readonly normalized: boolean;
}

/** A stretch of text, or an added token in place of it. */
type TextSegment = { readonly text: string } | { readonly id: number };

/** A finder of added tokens: the leftmost first, and the longest of those. */
export class AddedTokenMatcher {
  private readonly byContent = new Map<string, AddedToken>();
  private readonly pattern: RegExp | undefined;

  constructor(tokens: readonly AddedToken[]) {
    for (const token of tokens) if (token.content !== '') this.byContent.set(token.content, token);
    const contents = [...this.byContent.keys()].sort((x, y) => y.length - x.length);
    if (contents.length > 0) this.pattern = new RegExp(contents.map(escapePattern).join('|'), 'g');
  }

  get isEmpty(): boolean {
    return this.pattern === undefined;
  }

  /** The text cut at its added tokens; undefined if it has none. */
  split(text: string): TextSegment[] | undefined {
    if (this.pattern === undefined || text.search(this.pattern) === -1) return undefined;
    const segments: TextSegment[] = [];
    let done = 0;
    for (const match of text.matchAll(this.pattern)) {
      const token = this.byContent.get(match[0])!;
      let start = match.index;
      let end = start + match[0].length;
      if (token.singleWord && isInsideWord(text, start, end)) continue;
      if (token.stripLeft) while (start > done && isSpace(text.charCodeAt(start - 1))) start--;
      if (token.stripRight) while (end < text.length && isSpace(text.charCodeAt(end))) end++;
      if (done < start) segments.push({ text: text.slice(done, start) });
      segments.push({ id: token.id });
      done = end;
    }
    if (done < text.length) segments.push({ text: text.slice(done) });
    return segments;
  }
}

function isInsideWord(text: string, start: number, end: number): boolean {
  const before = start > 1 && text.codePointAt(start - 2)! > 0xffff ? start - 2 : start - 1;
  return (before >= 0 && isWord(text, before)) || (end < text.length && isWord(text, end));
}

function isWord(text: string, at: number): boolean {
  return (propertyTable()[scalarValueAt(text, at)] & WORD) !== 0;
}

function isSpace(unit: number): boolean {
  return (propertyTable()[unit] & SPACE) !== 0;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
