import { decodeDeclared, decodeUndeclared } from './charset.js';

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
