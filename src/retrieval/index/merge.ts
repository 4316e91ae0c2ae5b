import { BinaryHeap } from './heap.js';
import { dphOf } from '../models/index.js';
import { PostingsEncoder } from './postings.js';
import type { SpillCursor, SpillFile } from './spill.js';
import { encodeFrequencies, type Storage } from './storage.js';

const TERMS_PER_TRANSACTION = 20_000;
const BYTES_PER_TRANSACTION = 32 << 20;

/** Merges the spilled segments into the final postings, term by term, and returns the number of postings. */
export function mergeSegments(
  spill: SpillFile,
  storage: Storage,
  lengths: Uint32Array,
  tokens: number,
  onTerm: (done: number) => void,
): number {
  const bufferBytes = Math.max(
    1 << 14,
    Math.min(1 << 20, Math.floor((64 << 20) / Math.max(1, spill.segments))),
  );
  // Ordered by term, then by segment, and so by document.
  const waiting = new BinaryHeap<Waiting>(
    (a, b) => a.cursor.term < b.cursor.term || (a.cursor.term === b.cursor.term && a.segment < b.segment),
  );
  for (const [segment, cursor] of spill.cursors(bufferBytes).entries()) {
    if (cursor.advance()) waiting.push({ cursor, segment });
  }
  const encoder = new PostingsEncoder(lengths);
  const documents = lengths.length;
  const averageLength = documents === 0 ? 0 : tokens / documents;
  let postings = 0;
  let term = 0;
  const holders: Waiting[] = [];
  while (waiting.size > 0) {
    storage.root.transactionSync(() => {
      let bytes = 0;
      for (
        let n = 0;
        n < TERMS_PER_TRANSACTION && bytes < BYTES_PER_TRANSACTION && waiting.size > 0;
        n++, term++
      ) {
        // Terms are numbered without gaps, so `term` is the next of the heap.
        let collectionFrequency = 0;
        while (waiting.peek()?.cursor.term === term) {
          const holder = waiting.pop()!;
          collectionFrequency += holder.cursor.collectionFrequency;
          holders.push(holder);
        }
        encoder.start(dphOf({ documents, averageLength }, collectionFrequency));
        for (const { cursor } of holders) copyPostings(cursor, encoder);
        const value = Buffer.from(encoder.finish());
        storage.postings.putSync(term, value, { append: true });
        const frequencies = encodeFrequencies(encoder.documentFrequency, collectionFrequency);
        storage.frequencies.putSync(term, frequencies, { append: true });
        postings += encoder.documentFrequency;
        bytes += value.length;
        for (const holder of holders) {
          if (holder.cursor.advance()) waiting.push(holder);
        }
        holders.length = 0;
      }
    });
    onTerm(term);
  }
  return postings;
}

interface Waiting {
  readonly cursor: SpillCursor;
  readonly segment: number;
}

function copyPostings(cursor: SpillCursor, encoder: PostingsEncoder): void {
  const reader = cursor.postings;
  let document = -1;
  for (let i = 0; i < cursor.documentFrequency; i++) {
    document += reader.varint();
    encoder.add(document, reader.varint());
  }
}
