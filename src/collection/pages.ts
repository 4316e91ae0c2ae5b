import { badInput } from './bad-input.js';
import type { ByteSource } from './byte-source.js';
import { decodePage, decodeText } from './charset.js';
import { htmlToText, type PageText } from './html.js';
import { markdownToText } from './markdown.js';
import { pdfToText } from './pdf.js';
import { type SourcedDocument, sourcedDocument } from './sourced-document.js';
import { plainLines } from './text-collector.js';
import type { Origin } from './types.js';

/** Formats in which a file is one document. */
export const pageFormats = ['markdown', 'html', 'text', 'pdf'] as const;

export type PageFormat = (typeof pageFormats)[number];

const maxPageBytes = 64 << 20;
/** Bytes at the start of a file that tell text from binary data. */
const sniffBytes = 8192;

export function isPageFormat(format: string | undefined): format is PageFormat {
  return (pageFormats as readonly (string | undefined)[]).includes(format);
}

/** A path as the id of a document: white space, which runs cannot hold, is percent-encoded. */
export function pageId(path: string): string {
  return path.replaceAll(/[\s%]/g, encodeURIComponent);
}

/** Reads a file as one document; undefined where it holds no text: binary data, or scanned pages. */
export async function readPage(
  source: ByteSource,
  format: PageFormat,
  id: string,
): Promise<SourcedDocument | undefined> {
  const start = await source.peek(sniffBytes);
  const isUtf16 = (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);
  if (format !== 'pdf' && !isUtf16 && start.includes(0)) return undefined;
  const origin = { file: source.name };
  const { title, text } = await readText(await readWhole(source), format, origin);
  if (format === 'pdf' && text === '') return undefined;
  return sourcedDocument(id, title || undefined, text, origin);
}

async function readText(bytes: Buffer, format: PageFormat, origin: Origin): Promise<PageText> {
  if (format === 'pdf') return pdfToText(bytes, origin);
  if (format === 'markdown') return markdownToText(decodeText(bytes));
  if (format === 'text') return { title: '', text: plainLines(decodeText(bytes)) };
  const html = decodePage(bytes);
  const page = htmlToText(html);
  if (page.title !== '') return page;
  const heading = /<h1\b[^>]{0,1000}>(.{0,2000}?)<\/h1>/is.exec(html)?.[1] ?? '';
  return { ...page, title: htmlToText(heading).text.replaceAll('\n', ' ') };
}

function readWhole(source: ByteSource): Promise<Buffer> {
  return source.readAll((size) => {
    if (size <= maxPageBytes) return;
    throw badInput(
      { file: source.name },
      `the file is longer than the limit of ${maxPageBytes >> 20} MiB for one document`,
      'Split it, or move it out of the folder.',
    );
  });
}
