import { badInput } from './bad-input.js';
import type { ByteSource } from './byte-source.js';
import { countNewlines } from './lines.js';

/** What stands between `<DOC>` and `</DOC>`, not yet decoded: encodings may differ from document to document. */
export interface DocElement {
  readonly bytes: Buffer;
  /** Where `<DOC>` stands, 1-based. */
  readonly line: number;
}

/**
 * What ends a document. `anywhere`: the first `</DOC>`. `line`: only one that begins or ends a line, because web
 * pages may hold anything.
 */
export type ClosingRule = 'anywhere' | 'line';

/** Larger documents are refused: a `</DOC>` must be missing, or no reader downstream could use them. */
const maxDocumentBytes = 64 << 20;

/** Cuts a stream of bytes into its `<DOC>` elements; what stands between them is passed over. */
export async function* readDocElements(
  source: ByteSource,
  closing: ClosingRule,
): AsyncGenerator<DocElement[]> {
  const cutter = new DocCutter(closing);
  let any = false;
  let blank = true;
  for await (const chunk of source) {
    blank &&= isAllBlank(chunk);
    const elements = cutter.push(chunk);
    source.line = cutter.line;
    any ||= elements.length > 0;
    if (elements.length > 0) yield elements;
    if (cutter.openBytes > maxDocumentBytes) {
      throw badInput(
        { file: source.name, line: cutter.line },
        `the document that starts here is longer than the limit of ${maxDocumentBytes >> 20} MiB`,
        'Check that it ends with </DOC>.',
      );
    }
  }
  const elements = cutter.finish();
  if (elements.length > 0) yield elements;
  if (cutter.openBytes >= 0) {
    throw badInput(
      { file: source.name, line: cutter.line },
      'the document that starts here has no </DOC>: the file is cut off or damaged',
      'Get the file again, or end the document with </DOC>.',
    );
  }
  if (!any && elements.length === 0 && !blank) {
    throw badInput(
      { file: source.name },
      'no <DOC> element was found, but TREC documents were expected',
      'Check the file, or name its --format (beir, jsonl, tsv).',
    );
  }
}

class DocCutter {
  /** Of the open document, or else of the place reached. */
  line = 1;

  private bytes: Buffer = Buffer.alloc(0);
  /** Where to go on looking; what is before it, or before the open document, is done with. */
  private at = 0;
  /** Where the open document's content begins; -1 where none is open. */
  private contentStart = -1;
  /** The line is known up to here. */
  private countedTo = 0;
  private closeTag: Buffer = Buffer.alloc(0);
  private ended = false;

  constructor(private readonly closing: ClosingRule) {}

  /** How much of the open document has been read; -1 where none is open. */
  get openBytes(): number {
    return this.contentStart === -1 ? -1 : this.bytes.length - this.contentStart;
  }

  /** Takes in the next bytes and gives back every element that they complete. */
  push(chunk: Buffer): DocElement[] {
    const keepFrom = this.contentStart === -1 ? this.at : this.contentStart;
    this.bytes = keepFrom < this.bytes.length ? Buffer.concat([this.bytes.subarray(keepFrom), chunk]) : chunk;
    this.at -= keepFrom;
    this.countedTo -= keepFrom;
    if (this.contentStart !== -1) this.contentStart = 0;
    return this.takeElements();
  }

  /** Nothing follows: gives back what only the end of the file completes. */
  finish(): DocElement[] {
    this.ended = true;
    return this.takeElements();
  }

  private takeElements(): DocElement[] {
    const elements: DocElement[] = [];
    while (this.contentStart !== -1 || this.findOpening()) {
      const end = this.findClosing();
      if (end === -1) return elements;
      elements.push({ bytes: this.bytes.subarray(this.contentStart, end), line: this.line });
      this.at = end + this.closeTag.length;
      this.contentStart = -1;
    }
    this.countLines();
    return elements;
  }

  /** Goes to the content of the next document; false when the bytes at hand hold no `<DOC>`. */
  private findOpening(): boolean {
    const { bytes } = this;
    for (let at = bytes.indexOf(less, this.at); at !== -1; at = bytes.indexOf(less, at + 1)) {
      this.at = at;
      if (!this.ended && bytes.length - at < openTag.length) return false;
      if (!isOpenTag(bytes, at)) continue;
      this.countLines();
      // As the opening tag is written, so is the closing one: a search for fixed bytes is the fastest.
      this.closeTag = Buffer.concat([Buffer.from('</'), bytes.subarray(at + 1, at + openTag.length)]);
      this.at = this.contentStart = this.countedTo = at + openTag.length;
      return true;
    }
    this.at = bytes.length;
    return false;
  }

  /** The place of the open document's `</DOC>`; -1 when it has not been read yet. */
  private findClosing(): number {
    const { bytes, closeTag } = this;
    for (let at = bytes.indexOf(closeTag, this.at); at !== -1; at = bytes.indexOf(closeTag, at + 1)) {
      this.at = at;
      if (this.closing === 'anywhere') return at;
      const closes = this.standsAtLineEdge(at, at + closeTag.length);
      if (closes === undefined) return -1;
      if (closes) return at;
    }
    // The tag may have been read in part.
    this.at = Math.max(this.at, bytes.length - closeTag.length + 1);
    return -1;
  }

  /** Undefined when the bytes that would tell have not been read yet. */
  private standsAtLineEdge(start: number, end: number): boolean | undefined {
    const { bytes } = this;
    let before = start - 1;
    while (before >= 0 && isBlank(bytes[before]!)) before--;
    if (before < 0 || bytes[before] === newline) return true;
    let after = end;
    while (after < bytes.length && isBlank(bytes[after]!)) after++;
    if (after === bytes.length) return this.ended ? true : undefined;
    return bytes[after] === newline;
  }

  private countLines(): void {
    this.line += countNewlines(this.bytes.subarray(this.countedTo, this.at));
    this.countedTo = this.at;
  }
}

const less = 0x3c;
const newline = 0x0a;
const openTag = Buffer.from('<doc>');

function isOpenTag(bytes: Buffer, at: number): boolean {
  for (let i = 1; i < openTag.length; i++) {
    const byte = bytes[at + i] ?? 0;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (lower !== openTag[i]) return false;
  }
  return true;
}

function isAllBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === newline || isBlank(byte));
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
