import { readDocuments, type ReadDocumentsOptions } from './documents.js';
import type { SourcedDocument } from './sourced-document.js';
import { isFolder, listFiles } from './walk.js';

const sampledDocuments = 400;
const sampledFiles = 16;

/**
 * Some documents of a collection, for estimates: the first ones of files all over a folder, since neighbouring files of
 * TREC disks are alike, or else the first ones of all.
 */
export async function sampleDocuments(
  path: string,
  options: ReadDocumentsOptions,
): Promise<SourcedDocument[]> {
  const isTrec = options.format === 'trec' || options.format === 'trecweb';
  if (!isTrec || !(await isFolder(path).catch(() => false))) return first(path, options, sampledDocuments);
  const { files } = await listFiles(path);
  const step = Math.max(1, files.length / sampledFiles);
  const perFile = Math.ceil(sampledDocuments / Math.min(sampledFiles, files.length));
  const sampled: SourcedDocument[] = [];
  for (let at = 0; at < files.length; at += step) {
    const file = files[Math.floor(at)];
    // Notes and DTDs lie among the files; the whole reading names damage.
    sampled.push(...(await first(file.path, options, perFile).catch(() => [])));
  }
  return sampled;
}

async function first(path: string, options: ReadDocumentsOptions, count: number): Promise<SourcedDocument[]> {
  const some: SourcedDocument[] = [];
  for await (const document of readDocuments(path, options)) {
    some.push(document);
    if (some.length === count) break;
  }
  return some;
}
