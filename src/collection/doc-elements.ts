import { badInput } from './bad-input.js';
import type { ByteSource } from './byte-source.js';

/** What stands between `<DOC>` and `</DOC>`, not yet decoded: encodings may differ from document to document. */
export interface DocElement {
  readonly bytes: Buffer;
  /** Where `<DOC>` stands, 1-based. */
  readonly line: number;
}

export interface DocElementOptions {
  /**
   * `anywhere`: the first `</DOC>` ends the document. `line`: only one that begins or ends a line does, because
   * web pages may hold anything.
   */
  readonly closing: 'anywhere' | 'line';
}

/** Larger documents are refused: the largest of the TREC disks has 7 MB, and GOV2 cuts at 256 kB. */
const maxDocumentBytes = 64 << 20;

/** Cuts a stream of bytes into its `<DOC>` elements; what stands between them is passed over. */
export async function* readDocElements(
  source: ByteSource,
  { closing }: DocElementOptions,
): AsyncGenerator<DocElement[]> {
  let bytes: Buffer = Buffer.alloc(0);
  /** Where to go on looking, the start of the open document's content (-1: none), and its line. */
  let at = 0;
  let contentStart = -1;
  let openLine = 0;
  let line = 1;
  let lineCountedTo = 0;
  let count = 0;
  let blank = true;
  source.line = 1;

  const lineAt = (position: number): number => {
    for (; lineCountedTo < position; lineCountedTo++) if (bytes[lineCountedTo] === newline) line++;
    return line;
  };

  /** Takes every element that is complete; at the end of the file nothing more can follow a tag. */
  const takeElements = (atEnd: boolean): DocElement[] => {
    const elements: DocElement[] = [];
    for (at = bytes.indexOf(less, at); at !== -1; at = bytes.indexOf(less, at + 1)) {
      if (!atEnd && bytes.length - at < longestTag) return elements;
      if (contentStart === -1) {
        if (!isTag(bytes, at, openTag)) continue;
        openLine = lineAt(at);
        contentStart = at + openTag.length;
      } else if (isTag(bytes, at, closeTag)) {
        const verdict = closing === 'anywhere' ? true : standsAtLineEdge(bytes, at, atEnd);
        if (verdict === undefined) return elements;
        if (!verdict) continue;
        elements.push({ bytes: bytes.subarray(contentStart, at), line: openLine });
        contentStart = -1;
        count++;
      }
    }
    at = bytes.length;
    return elements;
  };

  for await (const chunk of source) {
    const keepFrom = contentStart === -1 ? Math.min(at, bytes.length) : contentStart;
    lineAt(keepFrom);
    bytes = keepFrom < bytes.length ? Buffer.concat([bytes.subarray(keepFrom), chunk]) : chunk;
    at -= keepFrom;
    lineCountedTo -= keepFrom;
    if (contentStart !== -1) contentStart = 0;
    blank &&= isAllBlank(chunk);
    const elements = takeElements(false);
    source.line = contentStart === -1 ? lineAt(at) : openLine;
    if (elements.length > 0) yield elements;
    if (contentStart !== -1 && bytes.length - contentStart > maxDocumentBytes) {
      throw badInput(
        { file: source.name, line: openLine },
        `the document that starts here is longer than the limit of ${maxDocumentBytes >> 20} MiB`,
        'Check that it ends with </DOC>.',
      );
    }
  }
  const elements = takeElements(true);
  if (elements.length > 0) yield elements;
  if (count === 0 && contentStart === -1 && !blank) {
    throw badInput(
      { file: source.name },
      'no <DOC> element was found, but TREC documents were expected',
      'Check the file, or name its --format (beir, jsonl, tsv).',
    );
  }
  if (contentStart !== -1) {
    throw badInput(
      { file: source.name, line: openLine },
      'the document that starts here has no </DOC>: the file is cut off or damaged',
      'Get the file again, or end the document with </DOC>.',
    );
  }
}

const less = 0x3c;
const newline = 0x0a;
const openTag = Buffer.from('<doc>');
const closeTag = Buffer.from('</doc>');
const longestTag = closeTag.length;

function isTag(bytes: Buffer, at: number, tag: Buffer): boolean {
  for (let i = 1; i < tag.length; i++) {
    const byte = bytes[at + i] ?? 0;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (lower !== tag[i]) return false;
  }
  return true;
}

/** Undefined when the bytes that would tell have not been read yet. */
function standsAtLineEdge(bytes: Buffer, at: number, atEnd: boolean): boolean | undefined {
  let before = at - 1;
  while (before >= 0 && isBlank(bytes[before]!)) before--;
  if (before < 0 || bytes[before] === newline) return true;
  let after = at + closeTag.length;
  while (after < bytes.length && isBlank(bytes[after]!)) after++;
  if (after === bytes.length) return atEnd ? true : undefined;
  return bytes[after] === newline;
}

function isAllBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === newline || isBlank(byte));
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
