import { basename, extname } from 'node:path';
import { closing } from '../common/closing.js';
import { occurrences } from '../common/occurrences.js';
import { ByteSource } from './byte-source.js';
import { formatByName, isRecordFormat, sniffFormat } from './detect.js';
import { isPageFormat, pageFormats, type PageFormat } from './pages.js';
import { loadPdfPackage } from './pdf.js';
import type { DocumentFormat } from './sourced-document.js';
import type { FoundFile } from './walk.js';

/** A file of a folder that is one document. */
export type FoundPage = FoundFile & { readonly format: PageFormat };

/** The files that are pages by their names; only those of one format where it is given. */
export function pagesOf(files: readonly FoundFile[], only?: DocumentFormat): FoundPage[] {
  return files.flatMap((file) => {
    const format = formatByName(file.path);
    return isPageFormat(format) && (only ?? format) === format ? [{ ...file, format }] : [];
  });
}

/**
 * The pages of a folder whose documents are pages; none where they are records of JSONL, TSV, CSV or TREC files. The
 * larger part of the bytes decides, so that neither a `package.json` beside Markdown nor notes beside a corpus count.
 */
export async function choosePages(files: readonly FoundFile[]): Promise<FoundPage[]> {
  const pages = pagesOf(files);
  if (pages.length === 0) return [];
  const records = files.filter(({ path }) => isRecordFormat(formatByName(path)));
  const votes = pages.filter(
    ({ path, format }) => format !== 'pdf' && !/^(?:readme|licen[cs]e|changelog)/i.test(basename(path)),
  );
  if (records.length > 0 && bytesOf(votes) <= bytesOf(records)) return [];
  // TREC files have no ending of their own; some end in .txt.
  const unclear = files.filter(({ path }) => {
    const format = formatByName(path);
    return format === 'text' || (format === undefined && !binaryEndings.test(path));
  });
  for (const { path } of unclear) if (await isTrec(path)) return [];
  const others = pages.filter(({ format }) => format !== 'pdf');
  // PDF is passed over where its package is not installed; alone, it gives the error that names the package.
  return others.length === 0 || others.length === pages.length || (await canReadPdf()) ? pages : others;
}

function canReadPdf(): Promise<boolean> {
  return loadPdfPackage().then(
    () => true,
    () => false,
  );
}

function bytesOf(files: readonly FoundFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function isTrec(path: string): Promise<boolean> {
  // A packed file of another program, or one that may not be read, is skipped or reported later.
  const format = await closing(ByteSource.open(path), sniffFormat).catch(() => undefined);
  return format?.startsWith('trec') === true;
}

const binaryEndings =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|psd|mp[34]|m4a|wav|ogg|webm|mov|avi|pdf|docx?|xlsx?|pptx?|od[tsp]|epub|zip|7z|rar|tar|tgz|bz2|xz|zst|jar|exe|dll|so|wasm|woff2?|ttf|otf|eot|db|sqlite3?|pyc|class|js|ts|css|map|lock)$/i;

const formatNames = { markdown: 'Markdown', html: 'HTML', text: 'text', pdf: 'PDF' } as const;

/** The sentence that says how a folder of pages is read and what is skipped. */
export function describePages(
  folder: string,
  pages: readonly FoundPage[],
  files: readonly FoundFile[],
  { leftOut, isGuessed }: { leftOut: number; isGuessed: boolean },
): string {
  const formats = pageFormats.filter((format) => pages.some((page) => page.format === format));
  const counts = formats.map(
    (format) => `${pages.filter((page) => page.format === format).length} ${formatNames[format]}`,
  );
  const titles = [
    ...(formats.includes('markdown') ? ['front matter', 'the first heading'] : []),
    ...(formats.includes('html') ? ['<title>'] : []),
    ...(formats.includes('pdf') ? ['the properties'] : []),
  ];
  const skipped = [describeSkipped(pages, files), leftOut > 0 ? `${leftOut} hidden or node_modules` : ''];
  const left = skipped.filter(Boolean).join(' and ');
  const hasOtherPdf = !formats.includes('pdf') && files.some(({ path }) => formatByName(path) === 'pdf');
  return (
    `Reading ${list(counts, 'and')} file${pages.length === 1 ? '' : 's'} of ${folder}: id from the path, ` +
    (titles.length === 0 ? 'no titles' : `title from ${list(titles, 'or')}`) +
    `${left === '' ? '' : `; skipped ${left}`}.` +
    (isGuessed && hasOtherPdf ? ' To read PDF too: npm install unpdf' : '')
  );
}

/** The number of other files and their most frequent endings. */
function describeSkipped(pages: readonly FoundPage[], files: readonly FoundFile[]): string {
  const chosen = new Set(pages.map(({ path }) => path));
  const others = files.filter(({ path }) => !chosen.has(path));
  if (others.length === 0) return '';
  const endings = others.map(({ path }) => extname(path).toLowerCase() || 'without ending');
  const frequent = [...occurrences(endings)].sort((a, b) => b[1] - a[1]);
  const shown = frequent.slice(0, 4).map(([ending, count]) => `${count} ${ending}`);
  return `${others.length} other${others.length === 1 ? '' : 's'} (${shown.join(', ')}${frequent.length > 4 ? ', …' : ''})`;
}

function list(parts: readonly string[], word: 'and' | 'or'): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1)}`;
}
