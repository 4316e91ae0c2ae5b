import { badInput, checkId, ownCopy } from './bad-input.js';
import type { ByteSource } from './byte-source.js';
import { decodeDeclared, decodeUndeclared } from './charset.js';
import { readDocElements, type DocElement } from './doc-elements.js';
import { htmlToText, type PageText } from './html.js';
import type { SourcedDocument } from './sourced-document.js';
import { collapse } from './text-collector.js';

/** Bytes of a page that are searched for a `<meta>` with its charset. */
const metaBytes = 4096;

/**
 * Reads TREC web (GOV2): `<DOC>` with `<DOCNO>`, `<DOCHDR>` (the address, then the server's HTTP headers), then the page
 * as it was crawled.
 */
export async function* readTrecweb(source: ByteSource): AsyncGenerator<SourcedDocument[]> {
  for await (const elements of readDocElements(source, 'line')) {
    yield elements.map((element) => parse(element, source.name));
  }
}

function parse({ bytes, line }: DocElement, file: string): SourcedDocument {
  const origin = { file, line };
  // Tags are ASCII in every encoding that occurs here, so latin1 finds them in all.
  const head = bytes.toString('latin1', 0, 1 << 16);
  const docno = /<docno>([^<]*)<\/docno>/i.exec(head);
  if (docno === null) {
    throw badInput(
      origin,
      'the document that starts here has no <DOCNO>',
      'Give it one: <DOCNO>an-id</DOCNO> right after <DOC>.',
    );
  }
  const id = checkId(ownCopy(collapse(docno[1]!)), 'document', origin);
  let pageStart = docno.index + docno[0].length;
  let headers = '';
  // WT2g and WT10g have an older number in between.
  const opening = /^\s*(?:<docoldno>[^<]*<\/docoldno>\s*)?<dochdr>/i.exec(head.slice(pageStart));
  if (opening !== null) {
    const headersStart = pageStart + opening[0].length;
    const length = head.slice(headersStart).search(/<\/dochdr>/i);
    if (length === -1) {
      throw badInput(
        origin,
        'the <DOCHDR> of the document that starts here is not closed',
        'End the HTTP headers with </DOCHDR>.',
      );
    }
    headers = head.slice(headersStart, headersStart + length);
    pageStart = headersStart + length + '</dochdr>'.length;
  }
  const { title, text } = readPage(bytes.subarray(pageStart), headers);
  return title === '' ? { id, text, origin } : { id, title, text, origin };
}

function readPage(page: Buffer, headers: string): PageText {
  const contentType = /^content-type:([^\r\n]*)/im.exec(headers)?.[1] ?? '';
  const start = page.toString('latin1', 0, metaBytes);
  const decoded = decodePage(page, start, contentType);
  // PDF and other files were converted to plain text, but servers often label HTML as such too.
  const isPlain = /^\s*(?:text\/plain|application\/)/i.test(contentType) && !/xhtml/i.test(contentType);
  if (isPlain && !/<(?:!doctype|html|head|title|body|p|table|div|a\s)/i.test(start)) {
    return { title: '', text: decoded.split('\n').map(collapse).filter(Boolean).join('\n') };
  }
  return htmlToText(decoded);
}

/** The encoding as browsers choose it: byte order mark, then the server's charset, then the page's own. */
function decodePage(page: Buffer, start: string, contentType: string): string {
  const body = page.subarray(/^\s*/.exec(start)![0].length);
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return body.toString('utf8', 3);
  if (body[0] === 0xff && body[1] === 0xfe) return decodeDeclared(body, 'utf-16le');
  if (body[0] === 0xfe && body[1] === 0xff) return decodeDeclared(body, 'utf-16be');
  const label = charsetIn(contentType) ?? declaredByPage(start);
  return label === undefined ? decodeUndeclared(page) : decodeDeclared(page, label);
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
