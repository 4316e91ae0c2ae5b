import type { Document } from '../../collection/index.js';
import { type BertQeError, corruptError, reasonOf } from '../../common/errors.js';
import { analyzerFromSpec, type Analyzer } from '../analysis/analyzer.js';
import type { ForwardVector } from '../index/reader.js';
import { ByteReader, ByteWriter } from '../index/bytes.js';

/** The content of an index: documents, terms in byte order, and the terms of each document by their places. */
export interface IndexContent {
  readonly analyzer: Analyzer;
  readonly documents: readonly Document[];
  readonly terms: readonly string[];
  readonly vectors: readonly ForwardVector[];
}

/** The first text of a file. */
const FORMAT = 'bert-qe memory index';
const VERSION = 1;

/**
 * The content of an index as one gzip file, whose checksum detects damage. In it: the format and its version, the
 * analyzer as JSON, the documents (id, title, text), the terms, and for each document the number of its terms and, for
 * each, the gap to the one before and the frequency.
 */
export async function packIndex({ analyzer, documents, terms, vectors }: IndexContent) {
  const writer = new ByteWriter();
  writer.string(FORMAT);
  writer.varint(VERSION);
  writer.string(JSON.stringify(analyzer.spec));
  writer.varint(documents.length);
  for (const { id, title = '', text } of documents) {
    writer.string(id);
    writer.string(title);
    writer.string(text);
  }
  writer.varint(terms.length);
  for (const term of terms) writer.string(term);
  for (const vector of vectors) {
    writer.varint(vector.terms.length);
    vector.terms.forEach((term, i) => {
      writer.varint(term - (vector.terms[i - 1] ?? -1));
      writer.varint(vector.frequencies[i]);
    });
  }
  return through(writer.view(), new CompressionStream('gzip'));
}

export async function unpackIndex(file: Uint8Array | ArrayBuffer): Promise<IndexContent> {
  let bytes: Uint8Array;
  try {
    bytes = await through(new Uint8Array(file as ArrayBuffer), new DecompressionStream('gzip'));
  } catch (error) {
    throw corrupt(`it is damaged or no such file (${reasonOf(error)})`, error);
  }
  const reader = new ByteReader(bytes);
  if (reader.string() !== FORMAT) throw corrupt('it holds something else');
  const version = reader.varint();
  if (version !== VERSION) throw corrupt(`it has version ${version}, this one reads ${VERSION}`);
  const analyzer = analyzerFromSpec(specOf(reader.string()));
  const documents = times(countIn(reader), (): Document => {
    const [id, title, text] = [reader.string(), reader.string(), reader.string()];
    return title === '' ? { id, text } : { id, title, text };
  });
  const terms = times(countIn(reader), () => reader.string());
  const vectors = documents.map((): ForwardVector => {
    const vector: ForwardVector = { terms: [], frequencies: [] };
    let term = -1;
    for (let left = countIn(reader); left > 0; left--) {
      const gap = reader.varint();
      term += gap;
      if (gap === 0 || term >= terms.length) throw corrupt('a document has a term that is none');
      vector.terms.push(term);
      vector.frequencies.push(reader.varint());
    }
    return vector;
  });
  if (reader.position !== bytes.length) throw corrupt('its content ends too early or too late');
  return { analyzer, documents, terms, vectors };
}

/** The number of the values that follow. Each has at least one byte: whoever made the file may have written any number. */
function countIn(reader: ByteReader): number {
  const count = reader.varint();
  if (count > reader.bytes.length - reader.position) throw corrupt('its content is cut off');
  return count;
}

function specOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw corrupt(`its analyzer is not valid JSON (${reasonOf(error)})`, error);
  }
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream) {
  const source = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  return new Uint8Array(await new Response(source.pipeThrough(stream)).arrayBuffer());
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

function corrupt(problem: string, cause?: unknown): BertQeError {
  return corruptError(`The file of the index cannot be used: ${problem}; build it again.`, cause);
}
