import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { grown } from '../../common/concat.js';
import { withLock } from '../../common/lock.js';
import { type OptionNames, refuseUnknownOptions } from '../../common/known-options.js';
import { badInput, type Document, type Origin, type SourcedDocument } from '../../collection/index.js';
import { failureError, inputError, throwIfAborted, usageError } from '../../common/errors.js';
import { systemCode, writeFailure } from '../../common/io-errors.js';
import { syncFolder, writeFileAtomic } from '../../common/atomic.js';
import { type Analyzer, indexedText } from '../analysis/analyzer.js';
import type { BlockWriter } from './block-file.js';
import { ByteWriter } from './bytes.js';
import { DictionaryWriter, MAX_KEY_BYTES } from './dictionary.js';
import { DocumentIds, ranksOf } from './document-ids.js';
import { invertSegment, type SpillFiles } from './invert.js';
import { DATA_PREFIX, MANIFEST, manifestOf, uncheckedManifest, type IndexManifest } from './manifest.js';
import { mergePostings, mergeVectors } from './merge.js';
import { statisticsOf } from './statistics.js';
import { RecordWriter, bytesOf, createFiles, forEachFile, type FileName } from './storage.js';
import { Segment } from './segment.js';
import { TemporaryFile, type SpilledSegment } from './spill.js';

/** The name of the lock file, and the beginning of the names of files beside it. */
const LOCK = 'write.lock';

/** The options of a build. */
export interface BuildOptions {
  /** The folder of the index. An existing index in it stays usable until the new one is complete. */
  readonly folder: string;
  readonly analyzer: Analyzer;
  /** The most postings in memory (4 million, about 100 MB in all). */
  readonly postingsInMemory?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: BuildProgress) => void;
}

const BUILD_OPTIONS: OptionNames<BuildOptions> = {
  folder: true,
  analyzer: true,
  postingsInMemory: true,
  signal: true,
  onProgress: true,
};

/** The progress of a build. */
export interface BuildProgress {
  readonly step: 'documents' | 'merge';
  /** Documents added, or terms of segments merged. */
  readonly done: number;
  /** The number of terms, for the merge. */
  readonly total?: number;
}

/** A document to index. If it has a `searched` text, its terms come from that text instead of title and text. */
export type IndexableDocument = Document & Partial<Pick<SourcedDocument, 'origin' | 'searched'>>;

const DOCUMENTS_PER_REPORT = 1000;

/**
 * Builds an index from a stream of documents in bounded memory: postings are gathered in segments, inverted and
 * spilled, and merged at the end. Nothing is visible until the manifest is written, last and atomically. The same
 * documents and options give the same bytes.
 */
export async function buildIndex(
  documents: AsyncIterable<IndexableDocument>,
  options: BuildOptions,
): Promise<IndexManifest> {
  refuseUnknownOptions('buildIndex', options, BUILD_OPTIONS);
  const { folder } = options;
  refuseForeignFolder(folder);
  return withLock(join(folder, LOCK), { what: folder }, async () => {
    const current = uncheckedManifest(folder)?.data;
    const data = `${DATA_PREFIX}${current === `${DATA_PREFIX}1` ? 2 : 1}`;
    let build: Build | undefined;
    try {
      build = writing(folder, () => {
        removeData(folder, current);
        return new Build(join(folder, data), options);
      });
      for await (const document of documents) {
        writing(folder, () => build!.add(document));
        throwIfAborted(options.signal);
      }
      const manifest = writing(folder, () => build!.finish(data));
      await syncFolder(join(folder, data));
      await writeFileAtomic(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
      removeData(folder, data);
      return manifest;
    } catch (error) {
      build?.close();
      rmSync(join(folder, data), { recursive: true, force: true });
      throw error;
    }
  });
}

/** One build in progress: the files of the index, the current segment and the spilled ones. */
class Build {
  readonly #files: Record<FileName, BlockWriter>;
  readonly #documents: RecordWriter;
  readonly #spill: SpillFiles;
  readonly #segments: SpilledSegment[] = [];
  readonly #capacity: number;
  readonly #record = new ByteWriter();
  readonly #ids = new DocumentIds();
  #segment: Segment;
  /** The segment's term numbers of a text. */
  #numbersOf: (text: string) => number[] = () => [];
  #lengths = new Uint32Array(1 << 16);

  constructor(
    folder: string,
    private readonly options: BuildOptions,
  ) {
    mkdirSync(folder);
    this.#files = createFiles(folder);
    this.#documents = new RecordWriter(this.#files.documents, this.#files['document-ends']);
    this.#spill = {
      postings: new TemporaryFile(join(folder, 'postings.tmp')),
      vectors: new TemporaryFile(join(folder, 'vectors.tmp')),
    };
    this.#capacity = options.postingsInMemory ?? 4_000_000;
    this.#segment = this.#openSegment(0);
  }

  add(document: IndexableDocument): void {
    this.#store(document);
    const text = indexedText(document);
    let terms = this.#numbersOf(text);
    if (this.#segment.isFull(terms.length)) {
      this.#flushSegment(terms.length);
      terms = this.#numbersOf(text);
    }
    this.#segment.add(terms);
    const number = this.#ids.count - 1;
    if (number === this.#lengths.length) this.#lengths = grown(this.#lengths);
    this.#lengths[number] = terms.length;
    if (this.#ids.count % DOCUMENTS_PER_REPORT === 0) {
      this.options.onProgress?.({ step: 'documents', done: this.#ids.count });
    }
  }

  finish(data: string): IndexManifest {
    const documents = this.#ids.count;
    if (documents === 0) {
      throw inputError('The collection holds no documents; check the path and --format.');
    }
    this.#flushSegment();
    const lengths = this.#lengths.subarray(0, documents);
    const { terms, postings } = this.#merge(lengths);
    for (const file of Object.values(this.#spill)) file.discard();
    this.#writeArrays(lengths);
    return manifestOf({
      data,
      analyzer: this.options.analyzer.spec,
      statistics: statisticsOf(lengths, terms, postings),
      files: forEachFile((name) => this.#files[name].finish()),
    });
  }

  close(): void {
    for (const file of Object.values(this.#files)) file.close();
    for (const file of Object.values(this.#spill)) file.close();
  }

  #store(document: IndexableDocument): void {
    const origin = document.origin ?? NO_ORIGIN;
    const id = Buffer.from(document.id);
    if (id.length === 0 || id.length > MAX_KEY_BYTES) {
      throw badInput(
        origin,
        `the document id has ${id.length} bytes`,
        `Ids must have 1 to ${MAX_KEY_BYTES}.`,
      );
    }
    if (!this.#ids.add(id)) {
      throw badInput(
        origin,
        `the document id "${document.id}" was there before`,
        'Ids must be unique: rename or drop one of the two.',
      );
    }
    const record = this.#record;
    record.reset();
    record.string(document.id);
    record.string(document.title ?? '');
    record.string(document.text);
    if (document.searched !== undefined) record.string(document.searched);
    this.#documents.add(record.view());
  }

  /** Writes the segment and opens the next, with room for a document of `atLeast` terms. */
  #flushSegment(atLeast = 0): void {
    if (this.#segment.documents > 0) this.#segments.push(invertSegment(this.#segment, this.#spill));
    this.#segment = this.#openSegment(atLeast);
  }

  #openSegment(atLeast: number): Segment {
    const firstDocument = this.#segments.reduce((sum, { documents }) => sum + documents, 0);
    const segment = new Segment(firstDocument, Math.max(this.#capacity, atLeast));
    this.#numbersOf = this.options.analyzer.numbering((term) => segment.numberOf(term));
    return segment;
  }

  #merge(lengths: Uint32Array): { terms: number; postings: number } {
    const files = this.#files;
    const total = this.#segments.reduce((sum, { terms }) => sum + terms, 0);
    const { terms, postings, numbers } = mergePostings(
      this.#segments,
      this.#spill,
      {
        dictionary: new DictionaryWriter(files.terms, files['term-directory']),
        postings: files.postings,
      },
      lengths,
      (done) => {
        throwIfAborted(this.options.signal);
        this.options.onProgress?.({ step: 'merge', done, total });
      },
    );
    const vectors = new RecordWriter(files.vectors, files['vector-ends']);
    this.#segments.forEach((segment, i) => {
      throwIfAborted(this.options.signal);
      mergeVectors(segment, this.#spill, numbers[i], vectors);
    });
    return { terms, postings };
  }

  #writeArrays(lengths: Uint32Array): void {
    const files = this.#files;
    const order = this.#ids.order();
    files.lengths.write(bytesOf(lengths));
    files['id-ranks'].write(bytesOf(ranksOf(order)));
    files['id-order'].write(bytesOf(order));
    files['id-ends'].write(bytesOf(this.#ids.ends));
    files['id-bytes'].write(this.#ids.bytes);
  }
}

const NO_ORIGIN: Origin = { file: 'document stream' };

/** Throws where the folder holds anything but an index. */
function refuseForeignFolder(folder: string): void {
  const manifest = uncheckedManifest(folder);
  if (manifest?.format === 'bert-qe-index') return;
  if (manifest) {
    throw usageError(`${join(folder, MANIFEST)} does not describe a bert-qe index; name another folder.`);
  }
  const foreign = existsSync(folder) ? readdirSync(folder).find((name) => !isOurs(name)) : undefined;
  if (foreign !== undefined) {
    throw usageError(`${folder} is not empty and not an index (it holds ${foreign}); name another folder.`);
  }
}

function isOurs(name: string): boolean {
  return (
    name === MANIFEST ||
    name.startsWith(LOCK) ||
    name.startsWith(DATA_PREFIX) ||
    name.startsWith(`.${MANIFEST}.`)
  );
}

/** Deletes the data of builds that died and of indexes that were replaced: all but `current`. */
function removeData(folder: string, current: string | undefined): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(DATA_PREFIX) && name !== current)
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Runs a step that writes into the folder, and explains what the file system refuses. */
function writing<T>(folder: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (systemCode(error) === 'ENOSPC') {
      throw failureError(`The disk of ${folder} is full; free some space and run the command again.`, error);
    }
    throw error instanceof Error && 'syscall' in error ? writeFailure(folder, error) : error;
  }
}
