import type { ByteSource } from './byte-source.js';
import type { Document, Origin } from './types.js';

/** A document with its origin. */
export type SourcedDocument = Document & { readonly origin: Origin };

/** The formats of collections. */
export const documentFormats = ['beir', 'jsonl', 'tsv', 'trec', 'trecweb'] as const;

/** The name of a format that collections are read from. */
export type DocumentFormat = (typeof documentFormats)[number];

/** Reads a file of a format; documents come in batches, because a promise per document is slow. */
export type DocumentReader = (source: ByteSource) => AsyncIterable<SourcedDocument[]>;
