import type { ByteSource } from './byte-source.js';
import type { DocumentFields } from './fields.js';
import type { Document, Origin } from './types.js';

/** A document with its origin. */
export type SourcedDocument = Document & { readonly origin: Origin };

/** The formats of collections. */
export const documentFormats = [
  'beir',
  'jsonl',
  'tsv',
  'trec',
  'trecweb',
  'markdown',
  'html',
  'text',
  'csv',
  'sqlite',
  'postgres',
] as const;

/** The name of a format that collections are read from. */
export type DocumentFormat = (typeof documentFormats)[number];

/** What readers of several formats are told beside the bytes. */
export interface ReaderOptions {
  /** The fields or columns that the user named. */
  readonly fields: DocumentFields;
  /** Called with a line that says how the documents are read. */
  readonly onGuess?: ((line: string) => void) | undefined;
}

/** Reads a file of a format; documents come in batches, because a promise per document is slow. */
export type DocumentReader = (source: ByteSource, options: ReaderOptions) => AsyncIterable<SourcedDocument[]>;
