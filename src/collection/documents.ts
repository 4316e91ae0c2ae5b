import { standardStream } from '../common/output.js';
import { badInput } from './bad-input.js';
import { findCorpus, requireCorpus } from './beir.js';
import { ByteSource } from './byte-source.js';
import { detectFormat, detectInFolder } from './detect.js';
import { readJsonl } from './jsonl.js';
import type { DocumentFormat, DocumentReader, SourcedDocument } from './sourced-document.js';
import { readTrec } from './trec.js';
import { readTrecweb } from './trecweb.js';
import { readTsv } from './tsv.js';
import { type FoundFile, listFiles, statPath } from './walk.js';

export interface ReadDocumentsOptions {
  /** `auto` (the default) detects it from the folder or the first bytes. */
  readonly format?: DocumentFormat | 'auto';
  /** Called with the bytes of the files read so far, before unpacking, and the total, except for standard input and pipes. */
  readonly onProgress?: (bytesRead: number, bytesTotal: number | undefined) => void;
  /** Called for each file of a folder that holds no documents and is skipped (a README, a DTD). */
  readonly onSkip?: (file: string) => void;
}

const readers: Readonly<Record<DocumentFormat, DocumentReader>> = {
  beir: readJsonl,
  jsonl: readJsonl,
  tsv: readTsv,
  trec: readTrec,
  trecweb: readTrecweb,
};

/**
 * Reads a collection: a file, a folder of files, or `-` for standard input, compressed or not. Documents come in the
 * order of the files and are not kept, so memory does not grow with the collection.
 */
export async function* readDocuments(
  path: string,
  options: ReadDocumentsOptions = {},
): AsyncGenerator<SourcedDocument> {
  for await (const batch of readDocumentBatches(path, options)) {
    for (const document of batch) yield document;
  }
}

/** As {@link readDocuments}, in batches, which is faster. */
export async function* readDocumentBatches(
  path: string,
  { format = 'auto', onProgress, onSkip }: ReadDocumentsOptions = {},
): AsyncGenerator<SourcedDocument[]> {
  const named = format === 'auto' ? undefined : format;
  const { files, inFolder } = await findFiles(path, named);
  // The size of a pipe is not known.
  const total = files.reduce((sum, file) => sum + file.bytes, 0) || undefined;
  let read = 0;
  let done = 0;
  /** Format of the first file of a folder that holds documents; the others must have it too. */
  let family = named && familyOf(named);
  let used = 0;
  for (const file of files) {
    const source = ByteSource.open(file.path, {
      onBytes: (count) => onProgress?.((read += count), total),
    });
    try {
      const found = inFolder ? await detectInFolder(source) : (named ?? (await detectFormat(source)));
      if (found !== undefined) family ??= familyOf(found);
      if (found !== undefined && familyOf(found) === family) {
        used++;
        yield* readers[named ?? found](source);
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
      'Name a folder with corpus.jsonl (BEIR), or with JSONL (.jsonl), TSV (.tsv) or TREC (<DOC>) files.',
    );
  }
}

/** Counts the documents of a collection; each is read and checked. */
export async function countDocuments(path: string, options?: ReadDocumentsOptions): Promise<number> {
  let count = 0;
  for await (const batch of readDocumentBatches(path, options)) count += batch.length;
  return count;
}

/** Formats that may occur together in one folder. */
function familyOf(format: DocumentFormat): DocumentFormat {
  if (format === 'trecweb') return 'trec';
  return format === 'beir' ? 'jsonl' : format;
}

async function findFiles(
  path: string,
  format: DocumentFormat | undefined,
): Promise<{ files: FoundFile[]; inFolder: boolean }> {
  if (path === standardStream) return { files: [{ path, bytes: 0 }], inFolder: false };
  const stats = await statPath(path);
  if (!stats.isDirectory()) return { files: [{ path, bytes: stats.size }], inFolder: false };
  if (format === undefined || format === 'beir') {
    const corpus = format === 'beir' ? await requireCorpus(path) : await findCorpus(path);
    if (corpus !== undefined) {
      return { files: [{ path: corpus, bytes: (await statPath(corpus)).size }], inFolder: false };
    }
  }
  return { files: await listFiles(path), inFolder: true };
}
