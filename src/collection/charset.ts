import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/** The characters of windows-1252 where Latin-1 has control characters; the five undefined ones stay controls. */
const windows1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Labels that the web standard reads as windows-1252, a superset of the others. */
const westernLabels = /^(?:windows-1252|cp1252|x-cp1252|iso-?8859-?1|iso_8859-1|latin-?1|l1|us-ascii|ascii)$/;

/** The windows-1252 character of a code from U+0080 to U+009F, which is also the meaning of `&#146;`. */
export function fromWindows1252(code: number): string {
  return code >= 0x80 && code <= 0x9f ? windows1252[code - 0x80] : String.fromCharCode(code);
}

/** Decodes text of unknown encoding, as UTF-8 where it is valid, otherwise as windows-1252; never fails. */
export function decodeUndeclared(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(withoutCutTail(bytes)) ? bytes.toString('utf8') : decodeWestern(bytes);
}

/** Decodes by a declared charset label; unknown labels count as undeclared. */
function decodeDeclared(bytes: Buffer, label: string): string {
  const name = label.trim().toLowerCase();
  if (isAscii(bytes) && !name.startsWith('utf-16') && !name.startsWith('iso-2022')) {
    return bytes.toString('latin1');
  }
  if (westernLabels.test(name)) return decodeWestern(bytes);
  if (name === 'utf-8' || name === 'utf8') return bytes.toString('utf8');
  // Half a code unit at the end is the line end before </DOC>.
  const whole = name.startsWith('utf-16') ? bytes.subarray(0, bytes.length & ~1) : bytes;
  return decoderFor(name)?.decode(whole) ?? decodeUndeclared(bytes);
}

const decoders = new Map<string, TextDecoder | undefined>();

function decoderFor(name: string): TextDecoder | undefined {
  if (!decoders.has(name)) {
    let decoder: TextDecoder | undefined;
    try {
      decoder = new TextDecoder(name);
    } catch {
      // An unknown encoding, or one that is not built into this Node.
    }
    // Labels come from the data and must not fill the memory.
    if (decoders.size < 100) decoders.set(name, decoder);
    else return decoder;
  }
  return decoders.get(name);
}

function decodeWestern(bytes: Buffer): string {
  // oxlint-disable-next-line no-control-regex -- these code points are the point
  return bytes.toString('latin1').replace(/[\u0080-\u009f]/g, (char) => fromWindows1252(char.charCodeAt(0)));
}

/** Removes an incomplete character at the end: crawls cut long pages at a byte limit. */
function withoutCutTail(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back];
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - back);
    if (byte < 0x80) break;
  }
  return bytes;
}

/** Bytes of a page that are searched for a `<meta>` with its charset. */
const metaBytes = 4096;

/** Decodes plain text: by its byte order mark, else as UTF-8 where it is valid, otherwise as windows-1252. */
export function decodeText(bytes: Buffer): string {
  return decodeMarked(bytes) ?? decodeUndeclared(bytes);
}

/** Decodes a web page as browsers do: by its byte order mark, then by the server's charset, then by the page's own. */
export function decodePage(page: Buffer, contentType = ''): string {
  const start = pageStart(page);
  const marked = decodeMarked(page.subarray(/^\s*/.exec(start)![0].length));
  if (marked !== undefined) return marked;
  const label = charsetIn(contentType) ?? declaredByPage(start);
  return label === undefined ? decodeUndeclared(page) : decodeDeclared(page, label);
}

/** Text with a byte order mark; undefined where there is none. */
function decodeMarked(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.toString('utf8', 3);
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeDeclared(bytes, 'utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeDeclared(bytes, 'utf-16be');
  return undefined;
}

/** The start of a page, in which tags can be found: they are ASCII in every encoding that occurs. */
export function pageStart(page: Buffer): string {
  return page.toString('latin1', 0, metaBytes);
}

function declaredByPage(start: string): string | undefined {
  for (const [meta] of start.matchAll(/<meta\s[^>]{0,400}/gi)) {
    const label = charsetIn(meta);
    // The label is wrong, because the page was read as ASCII up to here; browsers then use UTF-8.
    if (label !== undefined) return /^utf-?16/i.test(label) ? 'utf-8' : label;
  }
  return undefined;
}

function charsetIn(text: string): string | undefined {
  return /charset\s*=\s*(?:["']\s*)?([\w.:-]+)/i.exec(text)?.[1];
}
