import { ownCopy } from '../common/utf16.js';
import { badInput } from './bad-input.js';
import type { ByteSource } from './byte-source.js';
import { decodePage, pageStart } from './charset.js';
import { readDocElements, type DocElement } from './doc-elements.js';
import { htmlToText, type PageText } from './html.js';
import { type SourcedDocument, sourcedDocument } from './sourced-document.js';
import { collapse, plainLines } from './text-collector.js';

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
  let contentStart = docno.index + docno[0].length;
  let headers = '';
  // WT2g and WT10g have an older number in between.
  const opening = /^\s*(?:<docoldno>[^<]*<\/docoldno>\s*)?<dochdr>/i.exec(head.slice(contentStart));
  if (opening !== null) {
    const headersStart = contentStart + opening[0].length;
    const length = head.slice(headersStart).search(/<\/dochdr>/i);
    if (length === -1) {
      throw badInput(
        origin,
        'the <DOCHDR> of the document that starts here is not closed',
        'End the HTTP headers with </DOCHDR>.',
      );
    }
    headers = head.slice(headersStart, headersStart + length);
    contentStart = headersStart + length + '</dochdr>'.length;
  }
  const { title, text } = readPage(bytes.subarray(contentStart), headers);
  return sourcedDocument(ownCopy(collapse(docno[1])), title || undefined, text, origin);
}

function readPage(page: Buffer, headers: string): PageText {
  const contentType = /^content-type:([^\r\n]*)/im.exec(headers)?.[1] ?? '';
  const decoded = decodePage(page, contentType);
  // PDF and other files were converted to plain text, but servers often label HTML as such too.
  const isPlain = /^\s*(?:text\/plain|application\/)/i.test(contentType) && !/xhtml/i.test(contentType);
  if (isPlain && !/<(?:!doctype|html|head|title|body|p|table|div|a\s)/i.test(pageStart(page))) {
    return { title: '', text: plainLines(decoded) };
  }
  return htmlToText(decoded);
}
