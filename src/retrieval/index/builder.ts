import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { withLock } from '../../common/lock.js';
import { type OptionNames, refuseUnknownOptions } from '../../common/known-options.js';
import { badInput, type Document, type Origin } from '../../collection/index.js';
import { BertQeError, throwIfAborted } from '../../common/errors.js';
import { systemCode } from '../../common/io-errors.js';
import { writeFileAtomic } from '../../common/atomic.js';
import type { Analyzer } from '../analysis/index.js';
import { ByteWriter } from './bytes.js';
import { invertSegment } from './invert.js';
import { DATA_PREFIX, FORMAT_VERSION, MANIFEST, readManifest, type IndexManifest } from './manifest.js';
import { mergeSegments } from './merge.js';
import { Segment } from './segment.js';
import { SpillFile } from './spill.js';
import {
  bytesOf,
  ID_BYTES,
  ID_ENDS,
  ID_RANKS,
  LENGTHS,
  MAX_KEY_BYTES,
  openStorage,
  u32,
  type Storage,
} from './storage.js';

/** The name of the lock file, and the beginning of the names of files beside it. */
const LOCK = 'write.lock';

/** The options of a build. */
export interface BuildOptions {
  /** The folder of the index. An existing index in it stays usable until the new one is complete. */
  readonly folder: string;
  readonly analyzer: Analyzer;
  /** The most postings in memory (4 million, about 100 MB in all). */
  readonly postingsInMemory?: number;
  readonly signal?: AbortSignal;
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
  /** Documents added, or terms merged. */
  readonly done: number;
  /** The number of terms, for the merge. */
  readonly total?: number;
}

const DOCUMENTS_PER_TRANSACTION = 1000;
const BYTES_PER_TRANSACTION = 16 << 20;

/**
 * Builds an index from a stream of documents in bounded memory: postings are collected in segments, inverted, spilled,
 * and merged at the end. The index becomes visible when its manifest is written, last and atomically.
 */
export async function buildIndex(
  documents: AsyncIterable<Document & { readonly origin?: Origin }>,
  options: BuildOptions,
): Promise<IndexManifest> {
  refuseUnknownOptions('buildIndex', options, BUILD_OPTIONS);
  const { folder } = options;
  mkdirSync(folder, { recursive: true });
  refuseForeignFolder(folder);
  return withLock(join(folder, LOCK), { what: folder }, async () => {
    removeLeftovers(folder);
    const data = `${DATA_PREFIX}${randomBytes(4).toString('hex')}`;
    const build = new Build(join(folder, data), options);
    try {
      for await (const document of documents) {
        build.add(document);
        throwIfAborted(options.signal);
        if (build.hasFlushed) await build.remap();
      }
      const manifest = await build.finish(data);
      await writeFileAtomic(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
      removeLeftovers(folder);
      return manifest;
    } catch (error) {
      // The free space is checked before the clean-up frees some.
      const explained = explainFailure(error, folder);
      await build.abandon();
      throw explained;
    }
  });
}

/** A build in progress: its LMDB environment, the current segment and the spill file. */
class Build {
  /** True when a segment has been written; see {@link remap}. */
  hasFlushed = false;
  #storage: Storage;
  readonly #spill: SpillFile;
  readonly #capacity: number;
  readonly #record = new ByteWriter();
  #segment: Segment;
  /** The segment's term numbers of a text. */
  #numbersOf: (text: string) => number[] = () => [];
  #lengths = new Uint32Array(1 << 16);
  #documents = 0;
  #terms = 0;
  #tokens = 0;
  #waiting: { id: Buffer; value: Buffer; document: Document; origin: Origin | undefined }[] = [];
  #waitingBytes = 0;

  constructor(
    private readonly folder: string,
    private readonly options: BuildOptions,
  ) {
    mkdirSync(folder);
    this.#storage = openStorage(folder, 'write');
    this.#spill = new SpillFile(join(folder, 'spill.tmp'));
    this.#capacity = options.postingsInMemory ?? 4_000_000;
    this.#segment = this.#openSegment(0);
  }

  add(document: Document & { readonly origin?: Origin }): void {
    const { title } = document;
    const text = title ? `${title} ${document.text}` : document.text;
    let terms = this.#numbersOf(text);
    if (this.#segment.isFull(terms.length)) {
      this.#flushSegment(terms.length);
      terms = this.#numbersOf(text);
    }
    this.#segment.add(terms);
    if (this.#documents === this.#lengths.length) {
      const grown = new Uint32Array(this.#lengths.length * 2);
      grown.set(this.#lengths);
      this.#lengths = grown;
    }
    this.#lengths[this.#documents++] = terms.length;
    this.#tokens += terms.length;
    this.#store(document);
    if (this.#documents % DOCUMENTS_PER_TRANSACTION === 0) {
      this.options.onProgress?.({ step: 'documents', done: this.#documents });
    }
  }

  /**
   * Closes and reopens the environment. LMDB maps the file into memory, and every page that was read counts as memory of
   * the process until then; without this, memory would grow with the index.
   */
  async remap(): Promise<void> {
    await this.#storage.root.close();
    this.#storage = openStorage(this.folder, 'write');
    this.hasFlushed = false;
  }

  async finish(data: string): Promise<IndexManifest> {
    if (this.#documents === 0) {
      throw new BertQeError('input', 'The collection holds no documents; check the path and --format.');
    }
    this.#flushDocuments();
    this.#flushSegment();
    await this.remap();
    const lengths = this.#lengths.subarray(0, this.#documents);
    const postings = mergeSegments(this.#spill, this.#storage, lengths, this.#tokens, (done) => {
      throwIfAborted(this.options.signal);
      this.options.onProgress?.({ step: 'merge', done, total: this.#terms });
    });
    this.#spill.close();
    await this.remap();
    writeArrays(this.#storage, lengths);
    await this.#storage.root.close();
    syncFile(join(this.folder, 'data.mdb'));
    return {
      format: 'bert-qe-index',
      version: FORMAT_VERSION,
      data,
      created: new Date().toISOString(),
      analyzer: this.options.analyzer.spec,
      statistics: {
        documents: this.#documents,
        nonEmptyDocuments: lengths.reduce((count, length) => count + (length > 0 ? 1 : 0), 0),
        tokens: this.#tokens,
        terms: this.#terms,
        postings,
        maxLength: lengths.reduce((longest, length) => Math.max(longest, length), 0),
      },
    };
  }

  /** Removes everything that was written. */
  async abandon(): Promise<void> {
    await this.#storage.root.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #store(document: Document & { readonly origin?: Origin }): void {
    const id = Buffer.from(document.id);
    if (id.length === 0 || id.length > MAX_KEY_BYTES) {
      throw badInput(
        document.origin ?? NO_ORIGIN,
        `the document id has ${id.length} bytes`,
        `Ids must have 1 to ${MAX_KEY_BYTES}.`,
      );
    }
    const record = this.#record;
    record.reset();
    record.string(document.id);
    record.string(document.title ?? '');
    record.string(document.text);
    const value = Buffer.from(record.view());
    this.#waiting.push({ id, value, document, origin: document.origin });
    this.#waitingBytes += value.length;
    if (this.#waiting.length >= DOCUMENTS_PER_TRANSACTION || this.#waitingBytes > BYTES_PER_TRANSACTION) {
      this.#flushDocuments();
    }
  }

  #flushDocuments(): void {
    const { root, ids, documents } = this.#storage;
    let number = this.#documents - this.#waiting.length;
    root.transactionSync(() => {
      for (const { id, value, document, origin } of this.#waiting) {
        if (ids.doesExist(id)) {
          throw badInput(
            origin ?? NO_ORIGIN,
            `the document id "${document.id}" was there before`,
            'Ids must be unique: rename or drop one of the two.',
          );
        }
        ids.putSync(id, u32(number));
        documents.putSync(number++, value, { append: true });
      }
    });
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  /** Writes the segment and opens the next, with room for a document of `atLeast` terms. */
  #flushSegment(atLeast = 0): void {
    if (this.#segment.documents > 0) {
      this.#terms = invertSegment(this.#segment, this.#storage, this.#spill, this.#terms);
      this.hasFlushed = true;
    }
    this.#segment = this.#openSegment(atLeast);
  }

  #openSegment(atLeast: number): Segment {
    const segment = new Segment(this.#documents, Math.max(this.#capacity, atLeast));
    this.#numbersOf = this.options.analyzer.numbering((term) => segment.numberOf(term));
    return segment;
  }
}

/** Writes the arrays by document number. The ids table is sorted by id, which gives each document its rank. */
function writeArrays(storage: Storage, lengths: Uint32Array): void {
  const ranks = new Uint32Array(lengths.length);
  const ends = new Uint32Array(lengths.length);
  let rank = 0;
  for (const { key, value } of storage.ids.getRange({})) {
    const document = value.readUInt32LE(0);
    ranks[document] = rank++;
    ends[document] = key.length;
  }
  for (let document = 1; document < ends.length; document++) ends[document] += ends[document - 1];
  const bytes = Buffer.alloc(ends.at(-1)!);
  for (const { key, value } of storage.ids.getRange({})) {
    const document = value.readUInt32LE(0);
    key.copy(bytes, document === 0 ? 0 : ends[document - 1]);
  }
  storage.root.transactionSync(() => {
    storage.arrays.putSync(LENGTHS, bytesOf(lengths));
    storage.arrays.putSync(ID_RANKS, bytesOf(ranks));
    storage.arrays.putSync(ID_ENDS, bytesOf(ends));
    storage.arrays.putSync(ID_BYTES, bytes);
  });
}

/** The origin of documents that do not come from a file. */
const NO_ORIGIN: Origin = { file: 'document stream' };

/** Throws where the folder holds anything but an index. */
function refuseForeignFolder(folder: string): void {
  if (existsSync(join(folder, MANIFEST))) {
    readManifest(folder);
    return;
  }
  const foreign = readdirSync(folder).find((name) => !isOurs(name));
  if (foreign !== undefined) {
    throw new BertQeError(
      'usage',
      `${folder} is not empty and not an index (it holds ${foreign}); name another folder.`,
    );
  }
}

function isOurs(name: string): boolean {
  return name.startsWith(LOCK) || name.startsWith(DATA_PREFIX) || name.startsWith(`.${MANIFEST}.`);
}

/** Deletes the data of unfinished builds and of a replaced index. */
function removeLeftovers(folder: string): void {
  const current = existsSync(join(folder, MANIFEST)) ? readManifest(folder).data : undefined;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(DATA_PREFIX) && name !== current)
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** The error, or one that names a full disk, which LMDB reports as an I/O error. */
function explainFailure(error: unknown, folder: string): unknown {
  if (error instanceof BertQeError) return error;
  const { bavail, bsize } = statfsSync(folder);
  const isFull = systemCode(error) === 'ENOSPC' || bavail * bsize < SPACE_OF_A_TRANSACTION;
  if (!isFull) return error;
  return new BertQeError(
    'failure',
    `The disk of ${folder} is full; free some space and run the command again.`,
    {
      cause: error,
    },
  );
}

const SPACE_OF_A_TRANSACTION = 2 * BYTES_PER_TRANSACTION;

function syncFile(file: string): void {
  const handle = openSync(file, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}
