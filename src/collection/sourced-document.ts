import type { ByteSource } from './byte-source.js';
import type { Document, Origin } from './types.js';

/** A document and where it was read. */
export type SourcedDocument = Document & { readonly origin: Origin };

/** How the documents of a collection are written down. */
export const documentFormats = ['beir', 'jsonl', 'tsv', 'trec', 'trecweb'] as const;

/** The name of a format that collections are read from. */
export type DocumentFormat = (typeof documentFormats)[number];

/** Reads one file of a format; documents come in batches, because a promise for each would cost more than it. */
export type DocumentReader = (source: ByteSource) => AsyncIterable<SourcedDocument[]>;
