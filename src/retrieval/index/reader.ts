import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Document, DocumentStore } from '../../collection/index.js';
import { BertQeError, reasonOf } from '../../common/errors.js';
import { analyzerFromSpec, type Analyzer } from '../analysis/index.js';
import { ByteReader } from './bytes.js';
import { readManifest, type CollectionStatistics, type IndexManifest } from './manifest.js';
import { Postings } from './postings.js';
import {
  ID_BYTES,
  ID_ENDS,
  ID_RANKS,
  LENGTHS,
  MAX_KEY_BYTES,
  openStorage,
  stableValue,
  type Storage,
} from './storage.js';

/** A term of an index. */
export interface IndexedTerm {
  readonly number: number;
  readonly documentFrequency: number;
  readonly collectionFrequency: number;
}

/** A term of an index with its name. */
export interface TermFacts extends IndexedTerm {
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

/** An index opened for reading. It is memory-mapped, and data is loaded when it is used. */
export class Index implements DocumentStore {
  readonly manifest: IndexManifest;
  readonly statistics: CollectionStatistics;
  readonly analyzer: Analyzer;
  readonly #storage: Storage;
  #lengths: Uint32Array | undefined;
  #idRanks: Uint32Array | undefined;
  #idEnds: Uint32Array | undefined;
  #idBytes: FastSlicing | undefined;
  readonly #facts = new Map<number, TermFacts>();

  private constructor(
    readonly folder: string,
    manifest: IndexManifest,
    storage: Storage,
  ) {
    this.manifest = manifest;
    this.statistics = manifest.statistics;
    this.analyzer = analyzerFromSpec(manifest.analyzer);
    this.#storage = storage;
  }

  static open(folder: string): Index {
    const manifest = readManifest(folder);
    const data = join(folder, manifest.data);
    if (!existsSync(join(data, 'data.mdb'))) {
      throw new BertQeError('corrupt', `${data}/data.mdb is missing; build the index again.`);
    }
    try {
      return new Index(folder, manifest, openStorage(data, 'read'));
    } catch (cause) {
      if (cause instanceof BertQeError) throw cause;
      throw new BertQeError(
        'corrupt',
        `${data} cannot be opened (${reasonOf(cause)}); build the index again.`,
        {
          cause,
        },
      );
    }
  }

  /**
   * The tables, for `check`.
   *
   * @internal
   */
  get storage(): Storage {
    return this.#storage;
  }

  /** Every document's length in terms, by document number. */
  get lengths(): Uint32Array {
    this.#lengths ??= this.#array(LENGTHS, 'lengths');
    return this.#lengths;
  }

  /** The rank of every document's id in byte order, by document number; it breaks ties. */
  get idRanks(): Uint32Array {
    this.#idRanks ??= this.#array(ID_RANKS, 'id order');
    return this.#idRanks;
  }

  term(name: string): IndexedTerm | undefined {
    const found = this.#storage.terms.getBinaryFast(Buffer.from(name));
    if (!found) return undefined;
    return this.termByNumber(viewOf(found).getUint32(0, true));
  }

  termByNumber(number: number): IndexedTerm {
    const found = this.#storage.frequencies.getBinaryFast(number);
    if (!found) throw this.#broken(`term ${number} has no frequencies`);
    const view = viewOf(found);
    return {
      number,
      documentFrequency: view.getUint32(0, true),
      collectionFrequency: view.getFloat64(4, true),
    };
  }

  termName(number: number): string {
    const found = this.#storage.names.getBinary(number);
    if (!found) throw this.#broken(`term ${number} has no name`);
    return found.toString('utf8');
  }

  /** A term with its name, cached: feedback uses the same frequent terms again and again. */
  termFacts(number: number): TermFacts {
    let facts = this.#facts.get(number);
    if (!facts) {
      if (this.#facts.size >= MAX_REMEMBERED_FACTS) this.#facts.clear();
      facts = { ...this.termByNumber(number), name: this.termName(number) };
      this.#facts.set(number, facts);
    }
    return facts;
  }

  postings({ number, documentFrequency }: IndexedTerm): Postings {
    const found = stableValue(this.#storage.postings, number);
    if (!found) throw this.#broken(`term ${number} has no postings`);
    return new Postings(found, documentFrequency);
  }

  vector(document: number): ForwardVector {
    const found = stableValue(this.#storage.vectors, document);
    if (!found) throw this.#broken(`document ${document} has no forward vector`);
    const reader = new ByteReader(found);
    const vector: ForwardVector = { terms: [], frequencies: [] };
    let term = -1;
    while (!reader.atEnd) {
      term += reader.varint();
      vector.terms.push(term);
      vector.frequencies.push(reader.varint());
    }
    return vector;
  }

  documentNumber(id: string): number | undefined {
    const key = Buffer.from(id);
    // LMDB throws for keys of other lengths.
    if (key.length === 0 || key.length > MAX_KEY_BYTES) return undefined;
    const found = this.#storage.ids.getBinaryFast(key);
    return found && viewOf(found).getUint32(0, true);
  }

  documentId(number: number): string {
    this.#idEnds ??= this.#array(ID_ENDS, 'ends of the ids');
    this.#idBytes ??= this.#allIds();
    return this.#idBytes.utf8Slice(number === 0 ? 0 : this.#idEnds[number - 1], this.#idEnds[number]);
  }

  document(number: number): Document {
    const found = this.#storage.documents.getBinaryFast(number);
    if (!found) throw this.#broken(`document ${number} is missing`);
    const record = new ByteReader(found);
    const id = record.string();
    const title = record.string();
    const text = record.string();
    return title === '' ? { id, text } : { id, title, text };
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
    await this.#storage.root.close();
  }

  #allIds(): FastSlicing {
    const found = stableValue(this.#storage.arrays, ID_BYTES);
    if (found?.length !== this.#idEnds?.at(-1)) throw this.#broken('the ids are missing or cut off');
    return Buffer.from(found!.buffer, found!.byteOffset, found!.length) as FastSlicing;
  }

  #array(key: number, what: string): Uint32Array {
    const found = stableValue(this.#storage.arrays, key);
    if (found?.length !== 4 * this.statistics.documents) {
      throw this.#broken(`the ${what} of ${this.statistics.documents} documents are missing or cut off`);
    }
    const bytes = found.byteOffset % 4 === 0 ? found : found.slice();
    return new Uint32Array(bytes.buffer, bytes.byteOffset, this.statistics.documents);
  }

  #broken(what: string): BertQeError {
    return new BertQeError(
      'corrupt',
      `${this.folder}: ${what}; run bert-qe check ${this.folder}, then build it again.`,
    );
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
