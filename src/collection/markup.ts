type MarkupToken = 'text' | 'open' | 'close' | 'end';

/**
 * Splits SGML or HTML, however broken, into text, opening tags and closing tags; comments, declarations and processing
 * instructions are skipped. Never throws, and takes time linear in the length: anything that is searched for and not
 * found (`-->`, a quote) is not searched for again.
 */
export class MarkupScanner {
  /** Start of the current token: of the text, or of the whole tag. */
  start = 0;
  end = 0;
  name = '';

  private lastCommentEnd: number | undefined;
  private readonly lastClose: number;
  private readonly lastQuote = new Map<number, number>();
  /** Elements that have no closing tag in the rest of the source. */
  private readonly neverClosed = new Set<string>();

  constructor(readonly source: string) {
    this.lastClose = source.lastIndexOf('>');
  }

  /** The current token as it stands in the source. */
  get text(): string {
    return this.source.slice(this.start, this.end);
  }

  next(): MarkupToken {
    const { source } = this;
    let from = this.end;
    for (;;) {
      this.start = from;
      if (from >= source.length) {
        this.end = source.length;
        return 'end';
      }
      const open = this.findMarkup(from);
      if (open > from) {
        this.end = open;
        return 'text';
      }
      const kind = source.charCodeAt(open + 1);
      if (kind === exclamation || kind === question) {
        from = this.afterDeclaration(open);
        continue;
      }
      const closing = kind === slash;
      const nameStart = open + (closing ? 2 : 1);
      let nameEnd = nameStart;
      while (isNameCharacter(source.charCodeAt(nameEnd))) nameEnd++;
      this.name = lowerCase(source.slice(nameStart, nameEnd));
      this.end = this.afterTag(nameEnd);
      return closing ? 'close' : 'open';
    }
  }

  /**
   * The raw content between an opening tag, the current token, and its closing tag, as for `<script>`; both are
   * skipped. Undefined, and nothing is skipped, where the element is never closed.
   */
  readRaw(): string | undefined {
    const begin = this.end;
    const wanted = this.name;
    if (this.neverClosed.has(wanted)) return undefined;
    for (let at = this.source.indexOf('</', begin); at !== -1; at = this.source.indexOf('</', at + 2)) {
      const nameEnd = at + 2 + wanted.length;
      const isIt =
        this.source.slice(at + 2, nameEnd).toLowerCase() === wanted &&
        !isNameCharacter(this.source.charCodeAt(nameEnd));
      if (isIt) {
        this.end = this.afterTag(nameEnd);
        return this.source.slice(begin, at);
      }
    }
    this.neverClosed.add(wanted);
    return undefined;
  }

  skipRest(): void {
    this.end = this.source.length;
  }

  /** The next `<` that begins markup; one that does not (`a < b`) is text. */
  private findMarkup(from: number): number {
    const { source } = this;
    for (let at = source.indexOf('<', from); at !== -1; at = source.indexOf('<', at + 1)) {
      // Without another `>`, nothing that follows is markup.
      if (at > this.lastClose) return source.length;
      const next = source.charCodeAt(at + 1);
      if (isLetter(next) || next === exclamation || next === question) return at;
      if (next === slash && isLetter(source.charCodeAt(at + 2))) return at;
    }
    return source.length;
  }

  private afterDeclaration(open: number): number {
    const { source } = this;
    if (source.startsWith('<!--', open)) {
      this.lastCommentEnd ??= source.lastIndexOf('-->');
      if (open + 2 <= this.lastCommentEnd) return source.indexOf('-->', open + 2) + 3;
    }
    return source.indexOf('>', open) + 1;
  }

  /** Skips attributes. A quote counts only at the beginning of a value; another `<` ends a broken tag. */
  private afterTag(from: number): number {
    const { source } = this;
    let afterEquals = false;
    for (let at = from; at < source.length; at++) {
      const char = source.charCodeAt(at);
      if (char === greater) return at + 1;
      if (char === less) return at;
      if (char === equals) {
        afterEquals = true;
      } else if (afterEquals && (char === doubleQuote || char === singleQuote)) {
        const closing = this.closingQuote(char, at + 1);
        if (closing !== -1) at = closing;
        afterEquals = false;
      } else if (char > space) {
        afterEquals = false;
      }
    }
    return source.length;
  }

  private closingQuote(quote: number, from: number): number {
    const char = quote === doubleQuote ? '"' : "'";
    let last = this.lastQuote.get(quote);
    if (last === undefined) {
      last = this.source.lastIndexOf(char);
      this.lastQuote.set(quote, last);
    }
    return from > last ? -1 : this.source.indexOf(char, from);
  }
}

const lowerNames = new Map<string, string>();

/** Names in lower case. There are few names and many tags, and a lookup is faster than `toLowerCase`. */
function lowerCase(name: string): string {
  let lower = lowerNames.get(name);
  if (lower === undefined) {
    lower = name.toLowerCase();
    // Names come from the data: garbage must not fill the memory.
    if (lowerNames.size < 1000) lowerNames.set(name, lower);
  }
  return lower;
}

const space = 0x20;
const exclamation = 0x21;
const doubleQuote = 0x22;
const singleQuote = 0x27;
const slash = 0x2f;
const less = 0x3c;
const equals = 0x3d;
const greater = 0x3e;
const question = 0x3f;

function isLetter(char: number): boolean {
  return (char >= 0x41 && char <= 0x5a) || (char >= 0x61 && char <= 0x7a);
}

/** Letters, digits, `-`, `_`, `.` and `:`. */
function isNameCharacter(char: number): boolean {
  return isLetter(char) || (char >= 0x30 && char <= 0x3a) || char === 0x2d || char === 0x2e || char === 0x5f;
}
