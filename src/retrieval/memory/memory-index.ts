import type { Document, DocumentStore } from '../../collection/index.js';
import { type BertQeError, usageError } from '../../common/errors.js';
import { type OptionNames, refuseUnknownOptions } from '../../common/known-options.js';
import { occurrences } from '../../common/occurrences.js';
import { compareUtf8 } from '../../common/order.js';
import { mapInSlices } from '../../common/yield.js';
import { createAnalyzer, indexedText, type Analyzer } from '../analysis/analyzer.js';
import { ranksOf } from '../index/document-ids.js';
import { statisticsOf, type CollectionStatistics } from '../index/statistics.js';
import type { IndexedTerm } from '../index/dictionary.js';
import type { ForwardVector, TermFacts } from '../index/reader.js';
import { Postings, PostingsEncoder } from '../index/postings.js';
import { dphOf } from '../models/dph.js';
import type { SearchableIndex } from '../search/searcher.js';
import { type IndexContent, packIndex, unpackIndex } from './index-file.js';

/** Options of {@link MemoryIndex.build}. */
export interface MemoryIndexOptions {
  /** (`createAnalyzer({ base: 'terrier' })`) */
  readonly analyzer?: Analyzer;
  readonly signal?: AbortSignal;
  /** Called now and then with the number of documents that are indexed. */
  readonly onProgress?: (done: number, total: number) => void;
}

const OPTIONS: OptionNames<MemoryIndexOptions> = { analyzer: true, signal: true, onProgress: true };

const DOCUMENTS_PER_REPORT = 256;

/**
 * An index of some thousand documents in memory, for pages and for arrays of texts. Searches give the same scores and
 * places as those of an {@link Index} of the same documents.
 */
export class MemoryIndex implements DocumentStore, SearchableIndex {
  readonly statistics: CollectionStatistics;
  readonly lengths: Uint32Array;
  readonly idRanks: Uint32Array;
  readonly #content: IndexContent;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #termNumbers: ReadonlyMap<string, number>;
  /** The documents of all terms, term by term, with their frequencies; `#starts` has where each term begins. */
  readonly #starts: Uint32Array;
  readonly #documents: Uint32Array;
  readonly #frequencies: Uint32Array;
  readonly #collectionFrequencies: Uint32Array;
  readonly #encoded = new Map<number, Uint8Array>();

  private constructor(content: IndexContent) {
    const { documents, terms, vectors } = content;
    this.#content = content;
    this.#numbers = new Map(documents.map(({ id }, number) => [id, number]));
    this.#termNumbers = new Map(terms.map((term, number) => [term, number]));
    this.lengths = Uint32Array.from(vectors, ({ frequencies }) =>
      frequencies.reduce((length, frequency) => length + frequency, 0),
    );
    this.idRanks = ranksOf(orderOf(documents));
    this.#starts = new Uint32Array(terms.length + 1);
    this.#collectionFrequencies = new Uint32Array(terms.length);
    for (const vector of vectors) {
      vector.terms.forEach((term, i) => {
        this.#starts[term + 1]++;
        this.#collectionFrequencies[term] += vector.frequencies[i];
      });
    }
    for (let term = 0; term < terms.length; term++) this.#starts[term + 1] += this.#starts[term];
    const postings = this.#starts[terms.length];
    this.#documents = new Uint32Array(postings);
    this.#frequencies = new Uint32Array(postings);
    const next = this.#starts.slice();
    vectors.forEach((vector, document) =>
      vector.terms.forEach((term, i) => {
        const at = next[term]++;
        this.#documents[at] = document;
        this.#frequencies[at] = vector.frequencies[i];
      }),
    );
    this.statistics = statisticsOf(this.lengths, terms.length, postings);
  }

  /** Indexes documents, in slices of time that leave a page responsive. */
  static async build(documents: readonly Document[], options: MemoryIndexOptions = {}): Promise<MemoryIndex> {
    refuseUnknownOptions('MemoryIndex.build', options, OPTIONS);
    const { analyzer = createAnalyzer({ base: 'terrier' }), signal, onProgress } = options;
    if (!Array.isArray(documents)) throw usage('the documents must be an array');
    const ids = new Set<string>();
    documents.forEach((document, i) => checkDocument(document, i, ids));
    const found = new Map<string, number>();
    const numbersOf = analyzer.numbering((term) => {
      const number = found.get(term) ?? found.size;
      found.set(term, number);
      return number;
    });
    const counted = await mapInSlices(documents, signal, (document, i) => {
      if (i % DOCUMENTS_PER_REPORT === 0) onProgress?.(i, documents.length);
      return occurrences(numbersOf(indexedText(document)));
    });
    const terms = [...found.keys()].sort(compareUtf8);
    const places = new Uint32Array(terms.length);
    terms.forEach((term, place) => (places[found.get(term)!] = place));
    const vectors = await mapInSlices(counted, signal, (counts): ForwardVector => {
      const entries = [...counts].map(([number, count]): [number, number] => [places[number], count]);
      entries.sort(([a], [b]) => a - b);
      return { terms: entries.map(([term]) => term), frequencies: entries.map(([, count]) => count) };
    });
    onProgress?.(documents.length, documents.length);
    return new MemoryIndex({ analyzer, documents: documents.map(copyOf), terms, vectors });
  }

  /** Reads an index that {@link MemoryIndex.toFile} wrote; throws `corrupt` where the file is damaged. */
  static async fromFile(file: Uint8Array | ArrayBuffer): Promise<MemoryIndex> {
    return new MemoryIndex(await unpackIndex(file));
  }

  /** The index as a file, with the documents in it: to be built once and loaded by every page. */
  toFile(): Promise<Uint8Array<ArrayBuffer>> {
    return packIndex(this.#content);
  }

  get analyzer(): Analyzer {
    return this.#content.analyzer;
  }

  /** All documents, in the order in which they were indexed. */
  get documents(): readonly Document[] {
    return this.#content.documents;
  }

  async get(ids: readonly string[]): Promise<Map<string, Document>> {
    const found = new Map<string, Document>();
    for (const id of ids) {
      const number = this.#numbers.get(id);
      if (number !== undefined) found.set(id, this.documents[number]);
    }
    return found;
  }

  documentId(number: number): string {
    return this.documents[number].id;
  }

  vector(document: number): ForwardVector {
    return this.#content.vectors[document];
  }

  term(name: string): IndexedTerm | undefined {
    const number = this.#termNumbers.get(name);
    if (number === undefined) return undefined;
    const [start, end] = [this.#starts[number], this.#starts[number + 1]];
    const collectionFrequency = this.#collectionFrequencies[number];
    return { number, documentFrequency: end - start, collectionFrequency, start, end };
  }

  termFacts(number: number): TermFacts {
    const name = this.#content.terms[number];
    return { ...this.term(name)!, name };
  }

  postings(term: IndexedTerm): Postings {
    let bytes = this.#encoded.get(term.number);
    if (!bytes) this.#encoded.set(term.number, (bytes = this.#encode(term)));
    return new Postings(bytes, term.documentFrequency);
  }

  #encode({ start, end, collectionFrequency }: IndexedTerm): Uint8Array {
    const encoder = new PostingsEncoder(this.lengths);
    encoder.start(dphOf(this.statistics, collectionFrequency));
    for (let at = start; at < end; at++) encoder.add(this.#documents[at], this.#frequencies[at]);
    return encoder.finish().slice();
  }
}

function checkDocument(document: Document, i: number, ids: Set<string>): void {
  const { id, text } = (document ?? {}) as Partial<Document>;
  if (typeof id !== 'string' || id === '' || typeof text !== 'string') {
    throw usage(`documents[${i}] must be an object with an id and a text, both strings`);
  }
  if (ids.has(id)) throw usage(`documents[${i}]: the id "${id}" is there twice; ids must be unique`);
  ids.add(id);
}

function copyOf({ id, title, text }: Document): Document {
  return title ? { id, title, text } : { id, text };
}

function orderOf(documents: readonly Document[]): Uint32Array {
  const order = documents.map((_, number) => number);
  return Uint32Array.from(order.sort((a, b) => compareUtf8(documents[a].id, documents[b].id)));
}

function usage(message: string): BertQeError {
  return usageError(`MemoryIndex: ${message}.`);
}
