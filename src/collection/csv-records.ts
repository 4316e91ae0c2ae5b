import { badInput } from './bad-input.js';

/** Characters of the largest record; a larger one probably lacks a closing quote. */
const maxRecordLength = 32 << 20;

/** The most frequent separator of the first line, outside quotes. */
export function guessSeparator(text: string): string {
  const header = text.slice(0, text.indexOf('\n')).replaceAll(/"[^"]*"/g, '');
  let best = ',';
  let most = 0;
  for (const separator of [',', ';', '\t', '|']) {
    const count = header.split(separator).length - 1;
    if (count > most) [best, most] = [separator, count];
  }
  return best;
}

export interface CsvRecord {
  readonly cells: readonly string[];
  /** Line that the record starts on, 1-based. */
  readonly line: number;
}

/** Cuts text into records; a record may go on in the next piece of text. */
export class CsvCutter {
  #line = 1;
  #recordLine = 1;
  #cells: string[] = [];
  #cell = '';
  #length = 0;
  /** State of the current cell: unquoted, inside quotes, or after its closing quote. */
  #state: 'plain' | 'quoted' | 'closed' = 'plain';

  constructor(
    private readonly file: string,
    readonly separator: string,
  ) {}

  /** Takes the next lines, whole ones, and returns the records that they complete. */
  push(text: string): CsvRecord[] {
    const records: CsvRecord[] = [];
    for (let at = 0; at < text.length;) {
      if (this.#state === 'quoted') at = this.#readQuoted(text, at);
      else if (this.#state === 'plain' && this.#cell === '' && text[at] === '"') {
        this.#state = 'quoted';
        at++;
      } else {
        const end = this.#endOfCell(text, at);
        const isLast = text[end] === '\n';
        this.#endCell(text.slice(at, isLast && text[end - 1] === '\r' && end > at ? end - 1 : end));
        if (isLast) records.push(this.#endRecord());
        at = end + 1;
      }
    }
    return records;
  }

  finish(): void {
    if (this.#state !== 'quoted') return;
    throw badInput(
      { file: this.file, line: this.#recordLine },
      'the record that starts here has a quoted cell that is never closed',
      'Close it with ", and double the quotes inside it ("").',
    );
  }

  #readQuoted(text: string, at: number): number {
    const quoteAt = text.indexOf('"', at);
    const end = quoteAt === -1 ? text.length : quoteAt;
    const piece = text.slice(at, end);
    for (let i = piece.indexOf('\n'); i !== -1; i = piece.indexOf('\n', i + 1)) this.#line++;
    this.#cell += piece;
    this.#length += piece.length;
    if (this.#length > maxRecordLength) {
      throw badInput(
        { file: this.file, line: this.#recordLine },
        `the record that starts here is longer than the limit of ${maxRecordLength >> 20} MiB`,
        'Check that its quotes are closed.',
      );
    }
    if (quoteAt === -1) return end;
    if (text[end + 1] === '"') {
      this.#cell += '"';
      return end + 2;
    }
    this.#state = 'closed';
    return end + 1;
  }

  #endOfCell(text: string, at: number): number {
    const separator = this.separator.charCodeAt(0);
    for (let end = at; ; end++) {
      const char = text.charCodeAt(end);
      if (char === separator || char === 0x0a) return end;
    }
  }

  #endCell(rest: string): void {
    if (this.#state === 'closed' && rest.trim() !== '') {
      throw badInput(
        { file: this.file, line: this.#line },
        `a closing quote is followed by ${JSON.stringify(rest.slice(0, 20))}`,
        'Double the quotes inside a quoted cell ("").',
      );
    }
    this.#cells.push(this.#state === 'closed' ? this.#cell : this.#cell + rest);
    this.#cell = '';
    this.#state = 'plain';
  }

  #endRecord(): CsvRecord {
    const record = { cells: this.#cells, line: this.#recordLine };
    this.#cells = [];
    this.#length = 0;
    this.#recordLine = ++this.#line;
    return record;
  }
}
