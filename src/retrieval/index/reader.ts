import { join } from 'node:path';
import type { Document, DocumentStore } from '../../collection/index.js';
import { BertQeError, corruptError, reasonOf } from '../../common/errors.js';
import { memoised } from '../../common/lazy.js';
import { compareUtf8, lastPlace } from '../../common/order.js';
import { systemCode } from '../../common/io-errors.js';
import { type Analyzer, analyzerFromSpec } from '../analysis/analyzer.js';
import { DamageError, type BlockFile } from './block-file.js';
import type { IndexableDocument } from './builder.js';
import { ByteReader } from './bytes.js';
import { Dictionary, type IndexedTerm } from './dictionary.js';
import { LazyBytes, PostingsCache } from './postings-cache.js';
import { readManifest, type IndexManifest } from './manifest.js';
import { Postings } from './postings.js';
import type { CollectionStatistics } from './statistics.js';
import { RecordFile, openFiles, type FileName } from './storage.js';

export interface TermFacts extends Pick<IndexedTerm, 'number' | 'documentFrequency' | 'collectionFrequency'> {
  readonly name: string;
}

/** A buffer with Node's direct decoder, which is faster than `toString` for the many ids of a ranking. */
type FastSlicing = Buffer & { utf8Slice(start: number, end: number): string };

/** A limit of a few megabytes. */
const MAX_REMEMBERED_FACTS = 50_000;

/** A document's terms, by ascending number, with their frequencies. */
export interface ForwardVector {
  readonly terms: number[];
  readonly frequencies: number[];
}

/**
 * An index opened for reading. Content is read when it is needed, and its checksums are verified then: a damaged part
 * is refused with `corrupt`, never used.
 */
export class Index implements DocumentStore {
  readonly manifest: IndexManifest;
  readonly statistics: CollectionStatistics;
  readonly analyzer: Analyzer;
  /**
   * The files, for `check`.
   *
   * @internal
   */
  readonly files: Readonly<Record<FileName, BlockFile>>;
  readonly #documents: RecordFile;
  readonly #vectors: RecordFile;
  readonly #postings: PostingsCache;
  #dictionary: Dictionary | undefined;
  readonly #array = memoised((name: FileName) => this.#readArray(name));
  readonly #idBytes: LazyBytes;
  readonly #facts = new Map<number, TermFacts>();

  private constructor(
    readonly folder: string,
    manifest: IndexManifest,
  ) {
    this.manifest = manifest;
    this.statistics = manifest.statistics;
    this.analyzer = analyzerFromSpec(manifest.analyzer);
    const files = openFiles(join(folder, manifest.data), manifest.files);
    this.files = files;
    this.#documents = new RecordFile(files.documents, files['document-ends']);
    this.#vectors = new RecordFile(files.vectors, files['vector-ends']);
    this.#postings = new PostingsCache(files.postings);
    this.#idBytes = new LazyBytes(files['id-bytes'], 0, files['id-bytes'].bytes);
  }

  static open(folder: string): Index {
    for (let manifest = readManifest(folder); ;) {
      let index: Index | undefined;
      let failure: unknown;
      try {
        index = new Index(folder, manifest);
      } catch (error) {
        failure = error;
      }
      // Another process may have replaced the index while its files were being opened.
      const now = readManifest(folder);
      if (now.data !== manifest.data || now.digest !== manifest.digest) {
        void index?.close();
        manifest = now;
      } else if (index) {
        return index;
      } else {
        throw cannotOpen(folder, failure);
      }
    }
  }

  /** Every document's length in terms, by document number. */
  get lengths(): Uint32Array {
    return this.#array('lengths');
  }

  /** The rank of every document's id in byte order, by document number; it breaks ties. */
  get idRanks(): Uint32Array {
    return this.#array('id-ranks');
  }

  /** The documents in byte order of their ids. */
  get idOrder(): Uint32Array {
    return this.#array('id-order');
  }

  term(name: string): IndexedTerm | undefined {
    return this.#read(`the entry of term "${name}"`, () => this.#terms.find(name));
  }

  termByNumber(number: number): IndexedTerm & { readonly name: string } {
    return this.#read(`the entry of term ${number}`, () => this.#terms.get(number));
  }

  /** A term with its name, cached: feedback uses the same frequent terms again and again. */
  termFacts(number: number): TermFacts {
    let facts = this.#facts.get(number);
    if (!facts) {
      if (this.#facts.size >= MAX_REMEMBERED_FACTS) this.#facts.clear();
      facts = this.termByNumber(number);
      this.#facts.set(number, facts);
    }
    return facts;
  }

  postings({ number, documentFrequency, start, end }: IndexedTerm): Postings {
    const stored = this.#postings.get(number, start, end);
    return new Postings(stored.bytes, documentFrequency, (from, to) => {
      try {
        return this.#postings.ensure(number, stored, from, to);
      } catch (error) {
        throw this.#refusal(error, `the postings of term "${this.termByNumber(number).name}"`);
      }
    });
  }

  vector(document: number): ForwardVector {
    return this.#read(`the forward vector of document ${document}`, () => {
      const vector: ForwardVector = { terms: [], frequencies: [] };
      const reader = new ByteReader(this.#vectors.get(document));
      for (let term = -1; !reader.atEnd;) {
        term += reader.varint();
        vector.terms.push(term);
        vector.frequencies.push(reader.varint());
      }
      return vector;
    });
  }

  documentNumber(id: string): number | undefined {
    const order = this.idOrder;
    // As stored: without lone surrogates.
    const key = Buffer.from(id).toString('utf8');
    const place = lastPlace(order.length, (at) => compareUtf8(this.documentId(order[at]), key) <= 0);
    return place >= 0 && this.documentId(order[place]) === key ? order[place] : undefined;
  }

  documentId(number: number): string {
    const ends = this.#array('id-ends');
    const start = number === 0 ? 0 : ends[number - 1];
    const end = ends[number];
    try {
      this.#idBytes.ensure(start, end);
    } catch (error) {
      throw this.#refusal(error, `the id of document ${number}`);
    }
    return (this.#idBytes.bytes as FastSlicing).utf8Slice(start, end);
  }

  document(number: number): Document {
    return this.#readDocument(number, false);
  }

  /**
   * The document with the text that it was indexed by, where that is not title and text; for `check`.
   *
   * @internal
   */
  indexedDocument(number: number): IndexableDocument {
    return this.#readDocument(number, true);
  }

  #readDocument(number: number, isWhole: boolean): IndexableDocument {
    return this.#read(`document ${number}`, () => {
      const record = new ByteReader(this.#documents.get(number));
      const id = record.string();
      const title = record.string();
      const text = record.string();
      const document = title === '' ? { id, text } : { id, title, text };
      return isWhole && !record.atEnd ? { ...document, searched: record.string() } : document;
    });
  }

  async get(ids: readonly string[]): Promise<Map<string, Document>> {
    const documents = new Map<string, Document>();
    for (const id of ids) {
      const number = this.documentNumber(id);
      if (number !== undefined) documents.set(id, this.document(number));
    }
    return documents;
  }

  async close(): Promise<void> {
    for (const file of Object.values(this.files)) file.close();
  }

  get #terms(): Dictionary {
    const { terms, 'term-directory': directory } = this.files;
    this.#dictionary ??= new Dictionary(terms, directory, this.statistics.terms);
    return this.#dictionary;
  }

  #readArray(name: FileName): Uint32Array {
    return this.#read(`the file ${name}`, () => {
      const file = this.files[name];
      file.requireRecorded();
      const array = new Uint32Array(file.bytes / 4);
      file.readInto(new Uint8Array(array.buffer), 0);
      return array;
    });
  }

  /** Reads a part of the index, which is named where it is damaged. */
  #read<T>(what: string, read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.#refusal(error, what);
    }
  }

  /** The error for a part that could not be read: names it, and what to do. */
  #refusal(error: unknown, what: string): unknown {
    if (!(error instanceof DamageError)) return error;
    return corruptError(
      `${this.folder}: ${what} cannot be used (${error.message}); ` +
        `run bert-qe check ${this.folder}, then build it again.`,
      error,
    );
  }
}

function cannotOpen(folder: string, cause: unknown): unknown {
  if (cause instanceof BertQeError) return cause;
  const missing = systemCode(cause) === 'ENOENT' ? (cause as NodeJS.ErrnoException).path : undefined;
  return corruptError(
    `${missing === undefined ? `${folder} cannot be opened (${reasonOf(cause)})` : `${missing} is missing`}; ` +
      'build the index again.',
    cause,
  );
}
