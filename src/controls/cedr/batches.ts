import { sequenceLength, type Tokenizer, writeSequence } from '../../bert/index.js';
import { encoderFeeds, type FeedBatch, padded } from '../../training/network/index.js';
import { INPUTS } from './graph.js';

/** The lengths of texts in tokens. */
export interface CedrLengths {
  /** The longest query; the rest of a longer one is cut off (20). */
  readonly queryTokens: number;
  /** The longest document; the rest of a longer one is cut off (800). */
  readonly documentTokens: number;
  /** The longest sequence of a query and a piece of a document (512). */
  readonly maxLength: number;
}

export const publishedLengths: CedrLengths = { queryTokens: 20, documentTokens: 800, maxLength: 512 };

/** A query and a document in tokens, as the sequences that BERT reads. */
export interface TokenPair {
  readonly query: Int32Array;
  /** The document's pieces, of equal length but the last; a document without words is one empty piece. */
  readonly pieces: readonly Int32Array[];
  /** Tokens of the document. */
  readonly length: number;
  /** Tokens of all sequences, special ones included. */
  readonly tokens: number;
  /** Tokens of the longest sequence. */
  readonly longest: number;
}

/** Divides a document into as few pieces of equal length as fit beside the query. */
export function tokenPair(
  { template }: Tokenizer,
  query: Int32Array,
  document: Int32Array,
  { maxLength }: CedrLengths,
): TokenPair {
  const none = new Int32Array(0);
  const room = maxLength - sequenceLength(template, query, none);
  const count = Math.max(1, Math.ceil(document.length / room));
  const size = Math.ceil(document.length / count);
  const pieces = Array.from({ length: count }, (_, i) => document.subarray(i * size, (i + 1) * size));
  const longest = sequenceLength(template, query, pieces[0]);
  const tokens = pieces.reduce((sum, piece) => sum + sequenceLength(template, query, piece), 0);
  return { query, pieces, length: document.length, tokens, longest };
}

/**
 * The batch of some pairs. Queries and documents are padded to the longest of the batch, and so are sequences; masks
 * keep padding out of every sum.
 */
export function cedrBatch(
  { template }: Tokenizer,
  pairs: readonly TokenPair[],
  targets?: Float32Array<ArrayBuffer>,
): FeedBatch {
  const sequences = pairs.flatMap(({ query, pieces }, pair) =>
    pieces.map((piece) => ({ pair, query, piece })),
  );
  const lengths = Int32Array.from(sequences, ({ query, piece }) => sequenceLength(template, query, piece));
  const ids = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
  const splits = new Int32Array(sequences.length);
  let at = 0;
  sequences.forEach(({ query, piece }, i) => {
    splits[i] = writeSequence(ids, at, template, query, piece);
    at += lengths[i];
  });
  const encoder = encoderFeeds(padded({ ids, lengths, splits }));
  const { batch, sequence } = encoder.extent;
  const queryLength = Math.max(1, ...pairs.map(({ query }) => query.length));
  const documentLength = Math.max(1, ...pairs.map(({ length }) => length));
  const queryTokens = new Int32Array(pairs.length * queryLength);
  const documentTokens = new Int32Array(pairs.length * documentLength);
  const queryMask = new Float32Array(queryTokens.length);
  const documentMask = new Float32Array(documentTokens.length);
  const shares = new Float32Array(pairs.length * batch);
  const starts = Int32Array.from(sequences, (_, i) => i * sequence);
  let next = 0;
  pairs.forEach(({ query, pieces }, pair) => {
    for (let i = 0; i < query.length; i++) {
      // The query's tokens are those of the first sequence.
      queryTokens[pair * queryLength + i] = starts[next] + template.before.length + i;
      queryMask[pair * queryLength + i] = 1;
    }
    let place = pair * documentLength;
    for (const piece of pieces) {
      for (let i = 0; i < piece.length; i++) {
        documentTokens[place] = starts[next] + splits[next] + i;
        documentMask[place++] = 1;
      }
      shares[pair * batch + next++] = 1 / pieces.length;
    }
  });
  const count = pairs.length;
  return {
    ...encoder,
    feeds: {
      ...encoder.feeds,
      [INPUTS.queryTokens]: { dims: [count, 1, queryLength], data: queryTokens },
      [INPUTS.documentTokens]: { dims: [count, 1, documentLength], data: documentTokens },
      [INPUTS.queryMask]: { dims: [count, 1, queryLength, 1], data: queryMask },
      [INPUTS.documentMask]: { dims: [count, 1, 1, documentLength], data: documentMask },
      [INPUTS.firstTokens]: { dims: [batch], data: starts },
      [INPUTS.pieces]: { dims: [count, batch], data: shares },
      ...(targets && { [INPUTS.targets]: { dims: [count / 2, 2], data: targets } }),
    },
  };
}
