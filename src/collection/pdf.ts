import { reasonOf } from '../common/errors.js';
import { optionalPackage } from '../common/optional-package.js';
import { badInput } from './bad-input.js';
import type { PageText } from './html.js';
import { collapse, plainLines } from './text-collector.js';
import type { Origin } from './types.js';

/** The part of the package `unpdf` that is used. */
interface PdfPackage {
  getDocumentProxy(data: Uint8Array, options: { verbosity: number }): Promise<PdfDocument>;
  extractText(document: PdfDocument, options: { mergePages: true }): Promise<{ readonly text: string }>;
  getMeta(document: PdfDocument): Promise<{ readonly info?: Readonly<Record<string, unknown>> }>;
}

interface PdfDocument {
  destroy(): Promise<void>;
}

/** Loads the package that reads PDF; throws where it is not installed. */
export function loadPdfPackage(): Promise<PdfPackage> {
  const name: string = 'unpdf';
  return optionalPackage(name, 'Reading PDF', () => import(name) as Promise<PdfPackage>);
}

/** Extracts title and text from PDF. Scanned pages have no text. */
export async function pdfToText(bytes: Buffer, origin: Origin): Promise<PageText> {
  const { getDocumentProxy, extractText, getMeta } = await loadPdfPackage();
  let document: PdfDocument | undefined;
  try {
    document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
    const { text } = await extractText(document, { mergePages: true });
    const title = (await getMeta(document)).info?.['Title'];
    return { title: typeof title === 'string' ? usefulTitle(collapse(title)) : '', text: plainLines(text) };
  } catch (error) {
    throw badInput(
      origin,
      `the PDF cannot be read (${reasonOf(error).replace(/\.$/, '')})`,
      'Mend it, remove its password, or move it away.',
      error,
    );
  } finally {
    await document?.destroy();
  }
}

/** Word processors write file names into the title where the author wrote none. */
function usefulTitle(title: string): string {
  return /^(?:untitled|microsoft word\b.*|.*\.(?:docx?|dvi|tex|indd|pdf))$/i.test(title) ? '' : title;
}
