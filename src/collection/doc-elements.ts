import { badInput } from './bad-input.js';
import type { ByteSource } from './byte-source.js';
import { countNewlines } from './lines.js';

/** The bytes between `<DOC>` and `</DOC>`, not decoded: encodings may differ from document to document. */
export interface DocElement {
  readonly bytes: Buffer;
  /** Line of the `<DOC>`, 1-based. */
  readonly line: number;
}

/**
 * The `</DOC>` that ends a document. `anywhere`: the first. `line`: the first that begins or ends a line, because web
 * pages may contain anything.
 */
type ClosingRule = 'anywhere' | 'line';

/** Bytes of the largest document; a larger one probably lacks its `</DOC>`. */
const maxDocumentBytes = 64 << 20;

/** Cuts a stream of bytes into its `<DOC>` elements; everything between them is skipped. */
export async function* readDocElements(
  source: ByteSource,
  closing: ClosingRule,
): AsyncGenerator<DocElement[]> {
  const cutter = new DocCutter(closing);
  let any = false;
  let blank = true;
  for await (const chunk of source) {
    blank &&= chunk.every((byte) => byte === newline || isBlank(byte));
    const elements = cutter.push(chunk);
    source.line = cutter.line;
    any ||= elements.length > 0;
    yield elements;
    if (cutter.openBytes > maxDocumentBytes) {
      throw badInput(
        { file: source.name, line: cutter.line },
        `the document that starts here is longer than the limit of ${maxDocumentBytes >> 20} MiB`,
        'Check that it ends with </DOC>.',
      );
    }
  }
  const elements = cutter.finish();
  yield elements;
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
  /** Line of the open document or, where none is open, of the current position. */
  line = 1;

  private bytes: Buffer = Buffer.alloc(0);
  /** Position of the search; bytes before it, or before the open document, are no longer needed. */
  private at = 0;
  /** Start of the open document's content; -1 where none is open. */
  private contentStart = -1;
  /** Position up to which lines have been counted. */
  private countedTo = 0;
  private closeTag: Buffer = Buffer.alloc(0);
  private ended = false;

  constructor(private readonly closing: ClosingRule) {}

  /** Bytes of the open document read so far; -1 where none is open. */
  get openBytes(): number {
    return this.contentStart === -1 ? -1 : this.bytes.length - this.contentStart;
  }

  /** Takes the next bytes and returns every element that they complete. */
  push(chunk: Buffer): DocElement[] {
    const keepFrom = this.contentStart === -1 ? this.at : this.contentStart;
    this.bytes = keepFrom < this.bytes.length ? Buffer.concat([this.bytes.subarray(keepFrom), chunk]) : chunk;
    this.at -= keepFrom;
    this.countedTo -= keepFrom;
    if (this.contentStart !== -1) this.contentStart = 0;
    return this.takeElements();
  }

  /** Returns the elements that the end of the file completes. */
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

  /** Moves to the content of the next document; false where the bytes read so far hold no `<DOC>`. */
  private findOpening(): boolean {
    const { bytes } = this;
    for (let at = bytes.indexOf(less, this.at); at !== -1; at = bytes.indexOf(less, at + 1)) {
      this.at = at;
      if (!this.ended && bytes.length - at < openTag.length) return false;
      if (!isOpenTag(bytes, at)) continue;
      this.countLines();
      // The closing tag has the same case as the opening one: fixed bytes are found fastest.
      this.closeTag = Buffer.concat([Buffer.from('</'), bytes.subarray(at + 1, at + openTag.length)]);
      this.at = this.contentStart = this.countedTo = at + openTag.length;
      return true;
    }
    this.at = bytes.length;
    return false;
  }

  /** Position of the open document's `</DOC>`; -1 where it has not been read yet. */
  private findClosing(): number {
    const { bytes, closeTag } = this;
    for (let at = bytes.indexOf(closeTag, this.at); at !== -1; at = bytes.indexOf(closeTag, at + 1)) {
      this.at = at;
      if (this.closing === 'anywhere') return at;
      const closes = this.standsAtLineEdge(at, at + closeTag.length);
      if (closes === undefined) return -1;
      if (closes) return at;
    }
    // A part of the tag may have been read already.
    this.at = Math.max(this.at, bytes.length - closeTag.length + 1);
    return -1;
  }

  /** True where the tag begins or ends a line; undefined where more bytes are needed to decide. */
  private standsAtLineEdge(start: number, end: number): boolean | undefined {
    const { bytes } = this;
    let before = start - 1;
    while (before >= 0 && isBlank(bytes[before])) before--;
    if (before < 0 || bytes[before] === newline) return true;
    let after = end;
    while (after < bytes.length && isBlank(bytes[after])) after++;
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

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
