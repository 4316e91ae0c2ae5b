import { badInput, type Document, type Origin } from '../../collection/index.js';
import { BertQeError, inputError, throwIfAborted } from '../../common/errors.js';
import { hashJson } from '../../common/hash.js';
import type { Analyzer } from '../../retrieval/index.js';
import { fields } from './definition.js';

/** A collection that is loaded. */
export type Source = AsyncIterable<Document & { readonly origin?: Origin }>;

/** A document that is being loaded. */
export interface LoadItem {
  /** Its place in the collection, from 0. */
  readonly number: number;
  readonly id: string;
  readonly digest: string;
  /** The two lines of the bulk request. */
  readonly lines: string;
  readonly origin: Origin | undefined;
}

/** The bytes of an id that a server accepts. */
export const maxIdBytes = 512;

function loadItem(
  document: Document & { readonly origin?: Origin },
  number: number,
  analyzer: Analyzer,
): LoadItem {
  const { id, title, text, origin } = document;
  if (Buffer.byteLength(id) > maxIdBytes) {
    const problem = `the document id has ${Buffer.byteLength(id)} bytes`;
    const fix = `A search engine takes ids of 1 to ${maxIdBytes}.`;
    throw badInput(origin ?? { file: 'collection' }, problem, fix);
  }
  const digest = hashJson(id, title ?? '', text).slice(0, 16);
  const source = {
    [fields.id]: id,
    ...(title ? { [fields.title]: title.toWellFormed() } : {}),
    [fields.text]: text.toWellFormed(),
    [fields.length]: analyzer.analyze(title ? `${title} ${text}` : text).length,
    [fields.origin]: { number, digest },
  };
  const lines = `${JSON.stringify({ create: { _id: id } })}\n${JSON.stringify(source)}\n`;
  return { number, id, digest, lines, origin };
}

/** The place from which a load goes on, and the size of its batches. */
export interface BatchOptions {
  readonly analyzer: Analyzer;
  readonly from: number;
  /** Id of the document before it, by which a collection in another order is detected. */
  readonly lastId: string | undefined;
  readonly batchDocuments: number;
  readonly batchBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** The documents from number `from` on, in batches of a limited size. */
export async function* loadBatches(documents: Source, options: BatchOptions): AsyncGenerator<LoadItem[]> {
  const { analyzer, from, lastId, batchDocuments, batchBytes, signal } = options;
  let batch: LoadItem[] = [];
  let bytes = 0;
  let number = 0;
  for await (const document of documents) {
    throwIfAborted(signal);
    if (number < from) {
      if (++number === from && lastId !== undefined && document.id !== lastId) throw otherOrder(lastId, from);
      continue;
    }
    const item = loadItem(document, number++, analyzer);
    batch.push(item);
    bytes += item.lines.length;
    if (batch.length < batchDocuments && bytes < batchBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (number < from) throw otherOrder(lastId ?? '', from);
  if (batch.length > 0) yield batch;
}

function otherOrder(lastId: string, number: number): BertQeError {
  return inputError(
    `The load to continue had document "${lastId}" at place ${number}, which this collection does not have; ` +
      'give the same collection, or load into a new index.',
  );
}

/** The number of documents from the beginning that are loaded, where batches finish in any order. */
export class LoadedPrefix {
  /** Id of the last document that is done; undefined before the first. */
  lastId: string | undefined;
  readonly #ahead = new Map<number, { count: number; lastId: string }>();

  constructor(public done: number) {}

  add(start: number, count: number, lastId: string): void {
    this.#ahead.set(start, { count, lastId });
    for (let next = this.#ahead.get(this.done); next; next = this.#ahead.get(this.done)) {
      this.#ahead.delete(this.done);
      this.done += next.count;
      this.lastId = next.lastId;
    }
  }
}
