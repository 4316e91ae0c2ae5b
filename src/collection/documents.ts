import { relative, sep } from 'node:path';
import { usageError } from '../common/errors.js';
import { standardStream } from '../common/output.js';
import { badInput } from './bad-input.js';
import { findCorpus, requireCorpus } from './beir.js';
import { ByteSource } from './byte-source.js';
import { readCsv } from './csv.js';
import { type DatabaseOptions, isPostgresUrl, readPostgres, readSqlite } from './databases.js';
import { detectFormat, detectInFolder } from './detect.js';
import { choosePages, describePages, pagesOf, type FoundPage } from './folder.js';
import { readJsonl } from './jsonl.js';
import { isPageFormat, pageId, readPage, type PageFormat } from './pages.js';
import type { ElementChoice } from './searched-elements.js';
import type {
  DocumentFields,
  DocumentFormat,
  DocumentReader,
  ReaderOptions,
  SourcedDocument,
} from './sourced-document.js';
import { readTrec } from './trec.js';
import { readTrecweb } from './trecweb.js';
import { readTsv } from './tsv.js';
import { type FolderListing, type FoundFile, listFiles, statPath } from './walk.js';

/** The form of a collection, and the places of ids, titles and texts in it. */
export interface ReadDocumentsOptions {
  /** `auto` (the default) detects it from the folder, the name or the first bytes. */
  readonly format?: DocumentFormat | 'auto';
  /** JSONL, CSV, SQLite, Postgres: the fields or columns that hold id, title and text. */
  readonly fields?: DocumentFields | undefined;
  /** SQLite, Postgres: the table to read. SQLite's only table need not be named. */
  readonly table?: string | undefined;
  /** SQLite, Postgres: a query whose rows are the documents, instead of a table. */
  readonly sql?: string | undefined;
  /** TREC SGML: the elements that an index reads; title and text are the same for each (`text`). */
  readonly elements?: ElementChoice | undefined;
  /** Leaves out the documents whose id begins with one of these, such as `CR`, the Congressional Record. */
  readonly leaveOut?: readonly string[] | undefined;
  /** Called with the bytes of the files read so far, before unpacking, and the total, except for standard input and pipes. */
  readonly onProgress?: (bytesRead: number, bytesTotal: number | undefined) => void;
  /** Called for each file of a folder that holds no documents and is skipped (a README, a DTD, an image). */
  readonly onSkip?: (file: string) => void;
  /** Called with a sentence that says what was guessed: formats, and where ids, titles and texts are taken from. */
  readonly onGuess?: (sentence: string) => void;
}

/** The formats of files that hold several documents. */
type RecordFormat = Exclude<DocumentFormat, PageFormat | 'sqlite' | 'postgres'>;

const readers: Readonly<Record<RecordFormat, DocumentReader>> = {
  beir: readJsonl,
  jsonl: readJsonl,
  tsv: readTsv,
  trec: readTrec,
  trecweb: readTrecweb,
  csv: readCsv,
};

/**
 * Reads a collection: a file, a folder of files, the address of a Postgres database, or `-` for standard input; files
 * may be compressed. Documents come in the order of the files and are not kept, so memory does not grow with the
 * collection.
 *
 * @example
 * import { readDocuments } from 'bert-qe';
 *
 * for await (const { id, title, text } of readDocuments('notes')) console.log(id, title, text.length);
 */
export async function* readDocuments(
  path: string,
  options: ReadDocumentsOptions = {},
): AsyncGenerator<SourcedDocument> {
  const { leaveOut = [] } = options;
  for await (const batch of readBatches(path, options)) {
    for (const document of batch) {
      if (!leaveOut.some((beginning) => document.id.startsWith(beginning))) yield document;
    }
  }
}

async function* readBatches(path: string, options: ReadDocumentsOptions): AsyncGenerator<SourcedDocument[]> {
  const { table, sql, onGuess } = options;
  const fields = options.fields ?? {};
  if (table !== undefined && sql !== undefined) {
    throw usageError('Give either --table or --sql, not both.');
  }
  const named = options.format === 'auto' ? undefined : options.format;
  if (named === 'postgres' || isPostgresUrl(path)) {
    yield* readPostgres(path, { table, sql, fields, onGuess });
    return;
  }
  const { files, inFolder, leftOut } = await findFiles(path, named);
  if (inFolder) {
    const pages = named === undefined ? await choosePages(files) : pagesOf(files, named);
    if (pages.length > 0) {
      refuseOptions(pages[0].format, options);
      onGuess?.(describePages(path, pages, files, { leftOut, isGuessed: named === undefined }));
      yield* readPages(path, pages, files, options);
      return;
    }
  }
  yield* readRecords(path, files, inFolder, named, options);
}

async function* readPages(
  folder: string,
  pages: readonly FoundPage[],
  files: readonly FoundFile[],
  { onProgress, onSkip, onGuess }: ReadDocumentsOptions,
): AsyncGenerator<SourcedDocument[]> {
  const chosen = new Set(pages.map((page) => page.path));
  for (const file of files) if (!chosen.has(file.path)) onSkip?.(file.path);
  const total = pages.reduce((sum, page) => sum + page.bytes, 0);
  let done = 0;
  const binary: string[] = [];
  for (const { path, bytes, format } of pages) {
    const source = ByteSource.open(path);
    try {
      const document = await readPage(source, format, pageId(relative(folder, path).split(sep).join('/')));
      if (document !== undefined) yield [document];
      else {
        binary.push(path);
        onSkip?.(path);
      }
    } finally {
      await source.close();
    }
    onProgress?.((done += bytes), total);
  }
  if (binary.length > 0) {
    const names = `${binary.slice(0, 3).join(', ')}${binary.length > 3 ? ', …' : ''}`;
    onGuess?.(`Skipped ${binary.length} of them, without text: ${names}.`);
  }
}

async function* readRecords(
  path: string,
  files: readonly FoundFile[],
  inFolder: boolean,
  named: DocumentFormat | undefined,
  options: ReadDocumentsOptions,
): AsyncGenerator<SourcedDocument[]> {
  const { onProgress, onSkip, onGuess } = options;
  // The size of a pipe is not known.
  const total = files.reduce((sum, file) => sum + file.bytes, 0) || undefined;
  let read = 0;
  let done = 0;
  /** Format of the first file of a folder that holds documents; the others must have it too. */
  let family = named && familyOf(named);
  let used = 0;
  for (const file of files) {
    const source = ByteSource.open(file.path, (count) => onProgress?.((read += count), total));
    try {
      const found = inFolder ? await detectInFolder(source) : (named ?? (await detectFormat(source)));
      if (found !== undefined) family ??= familyOf(found);
      if (found !== undefined && familyOf(found) === family) {
        used++;
        const format = named ?? found;
        refuseOptions(format, options);
        // The parts of a folder are alike: one sentence is enough.
        yield* readFile(source, format, {
          ...options,
          fields: options.fields ?? {},
          onGuess: used === 1 ? onGuess : undefined,
        });
      } else {
        onSkip?.(file.path);
      }
    } finally {
      await source.close();
    }
    done += file.bytes;
    if (read < done) onProgress?.((read = done), total);
  }
  if (used === 0) {
    throw badInput(
      { file: path },
      `the folder holds no ${named ?? 'document'} files`,
      'Name a folder with corpus.jsonl (BEIR), with JSONL (.jsonl), TSV (.tsv), CSV (.csv) or TREC (<DOC>) files, or ' +
        'with Markdown, HTML or text (.md, .html, .txt); name the file of a SQLite database itself.',
    );
  }
}

async function* readFile(
  source: ByteSource,
  format: DocumentFormat,
  options: ReaderOptions & DatabaseOptions,
): AsyncGenerator<SourcedDocument[]> {
  if (isPageFormat(format)) {
    const document = await readPage(source, format, pageId(source.name.split(/[\\/]/).at(-1)!));
    if (document === undefined) {
      throw badInput(
        { file: source.name },
        'the file holds binary data or scanned pages',
        'Name a file with text.',
      );
    }
    options.onGuess?.(`Reading ${source.name} as one document (${format}).`);
    yield [document];
  } else if (format === 'sqlite') {
    await source.close();
    yield* readSqlite(source.name, options);
  } else {
    yield* readers[format as RecordFormat](source, options);
  }
}

/** Refuses fields and tables where the format has none. */
function refuseOptions(
  format: DocumentFormat,
  { fields = {}, table, sql, elements = 'text' }: ReadDocumentsOptions,
): void {
  const field = (['id', 'title', 'text'] as const).find((name) => fields[name] !== undefined);
  const refuse = (option: string, formats: string): never => {
    throw usageError(
      `--${option} has no effect on ${isPageFormat(format) ? 'Markdown, HTML, text and PDF' : format} files; it is for ${formats}.`,
    );
  };
  if (elements !== 'text' && format !== 'trec') refuse('elements', 'TREC SGML');
  if (format === 'sqlite') return;
  if (table !== undefined || sql !== undefined)
    refuse(table === undefined ? 'sql' : 'table', 'SQLite and Postgres');
  const hasFields = format === 'jsonl' || format === 'beir' || format === 'csv';
  if (field !== undefined && !hasFields) refuse(`${field}-field`, 'JSONL, CSV, SQLite and Postgres');
}

/** Formats that may occur together in one folder. */
function familyOf(format: DocumentFormat): DocumentFormat {
  if (format === 'trecweb') return 'trec';
  return format === 'beir' ? 'jsonl' : format;
}

type FoundFiles = FolderListing & { readonly inFolder: boolean };

async function findFiles(path: string, format: DocumentFormat | undefined): Promise<FoundFiles> {
  if (path === standardStream) return alone({ path, bytes: 0 });
  const stats = await statPath(path);
  if (!stats.isDirectory()) return alone({ path, bytes: stats.size });
  if (format === undefined || format === 'beir') {
    const corpus = format === 'beir' ? await requireCorpus(path) : await findCorpus(path);
    if (corpus !== undefined) return alone({ path: corpus, bytes: (await statPath(corpus)).size });
  }
  return { ...(await listFiles(path)), inFolder: true };
}

function alone(file: FoundFile): FoundFiles {
  return { files: [file], inFolder: false, leftOut: 0 };
}
