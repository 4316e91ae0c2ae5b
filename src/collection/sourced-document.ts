import { checkId } from './bad-input.js';
import type { ByteSource } from './byte-source.js';
import type { ElementChoice } from './searched-elements.js';
import type { Document, Origin } from './types.js';

/** A document with its origin. */
export type SourcedDocument = Document & {
  readonly origin: Origin;
  /** The text that an index reads instead of title and text. */
  readonly searched?: string;
};

export function sourcedDocument(
  id: string,
  title: string | undefined,
  text: string,
  origin: Origin,
): SourcedDocument {
  checkId(id, 'document', origin);
  return title === undefined ? { id, text, origin } : { id, title, text, origin };
}

export const documentFormats = [
  'beir',
  'jsonl',
  'tsv',
  'trec',
  'trecweb',
  'markdown',
  'html',
  'text',
  'pdf',
  'csv',
  'sqlite',
  'postgres',
] as const;

/** The name of a format that collections are read from. */
export type DocumentFormat = (typeof documentFormats)[number];

/**
 * The fields (JSONL) or columns (CSV, SQLite, Postgres) that hold the parts of a document. Without a name, the usual
 * ones are looked for. Dots lead into nested JSON objects: `meta.author`.
 */
export interface DocumentFields {
  readonly id?: string;
  readonly title?: string;
  /** Several are joined, each on a line of its own. */
  readonly text?: string | readonly string[];
}

export interface ReaderOptions {
  readonly fields: DocumentFields;
  /** TREC SGML: the elements that an index reads (`text`). */
  readonly elements?: ElementChoice | undefined;
  /** Called with a line that says how the documents are read. */
  readonly onGuess?: ((line: string) => void) | undefined;
}

/** Reads a file of a format; documents come in batches, because a promise per document is slow. */
export type DocumentReader = (source: ByteSource, options: ReaderOptions) => AsyncIterable<SourcedDocument[]>;
