import { compareUtf8 } from '../../common/order.js';
import { dphOf } from '../models/dph.js';
import type { BlockWriter } from './block-file.js';
import { ByteReader, ByteWriter } from './bytes.js';
import type { DictionaryWriter } from './dictionary.js';
import { BinaryHeap } from './heap.js';
import type { SpillFiles } from './invert.js';
import { PostingsEncoder } from './postings.js';
import type { RecordWriter } from './storage.js';
import { SpillCursor, type SpilledSegment } from './spill.js';

export interface Merged {
  readonly terms: number;
  readonly postings: number;
  /** Per segment, the numbers of its terms in the index, as gaps: about a byte each. */
  readonly numbers: readonly Uint8Array[];
}

/** Merges the spilled segments into final postings and the dictionary, term by term. */
export function mergePostings(
  segments: readonly SpilledSegment[],
  spill: SpillFiles,
  out: { readonly dictionary: DictionaryWriter; readonly postings: BlockWriter },
  lengths: Uint32Array,
  onTerms: (records: number) => void,
): Merged {
  const bufferBytes = Math.max(1 << 14, Math.min(1 << 20, Math.floor((64 << 20) / segments.length)));
  // The next term first; for one term, segments in the order of their documents.
  const waiting = new BinaryHeap<Waiting>((a, b) => {
    const order = compareUtf8(a.cursor.name, b.cursor.name);
    return order < 0 || (order === 0 && a.segment < b.segment);
  });
  segments.forEach(({ postings }, segment) => {
    const cursor = new SpillCursor(spill.postings, postings, bufferBytes);
    if (cursor.advance()) waiting.push({ cursor, segment, last: -1 });
  });
  const numbers = segments.map(() => new ByteWriter(1 << 12));
  const encoder = new PostingsEncoder(lengths);
  const documents = lengths.length;
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  let postings = 0;
  let terms = 0;
  let records = 0;
  const holders: Waiting[] = [];
  for (; waiting.size > 0; terms++) {
    const { name, nameBytes } = waiting.peek()!.cursor;
    let collectionFrequency = 0;
    while (waiting.peek()?.cursor.name === name) {
      const holder = waiting.pop()!;
      collectionFrequency += holder.cursor.collectionFrequency;
      holders.push(holder);
    }
    encoder.start(dphOf({ documents, tokens }, collectionFrequency));
    for (const holder of holders) {
      copyPostings(holder.cursor, encoder);
      numbers[holder.segment].varint(terms - holder.last);
      holder.last = terms;
    }
    const start = out.postings.position;
    out.postings.write(encoder.finish());
    const { documentFrequency } = encoder;
    const end = out.postings.position;
    out.dictionary.add(nameBytes, { documentFrequency, collectionFrequency, start, end });
    postings += documentFrequency;
    records += holders.length;
    if (terms % 1000 === 0) onTerms(records);
    for (const holder of holders) {
      if (holder.cursor.advance()) waiting.push(holder);
    }
    holders.length = 0;
  }
  return { terms, postings, numbers: numbers.map((gaps) => gaps.view()) };
}

interface Waiting {
  readonly cursor: SpillCursor;
  readonly segment: number;
  /** The number of the segment's last term. */
  last: number;
}

function copyPostings(cursor: SpillCursor, encoder: PostingsEncoder): void {
  const reader = cursor.postings;
  let document = -1;
  for (let i = 0; i < cursor.documentFrequency; i++) {
    document += reader.varint();
    encoder.add(document, reader.varint());
  }
}

/** Copies the forward vectors of a segment into the index, with the index's numbers of the terms. */
export function mergeVectors(
  { terms, documents, vectors }: SpilledSegment,
  spill: SpillFiles,
  gaps: Uint8Array,
  out: RecordWriter,
): void {
  const numbers = new Uint32Array(terms);
  const gapReader = new ByteReader(gaps);
  for (let term = 0, last = -1; term < terms; term++) numbers[term] = last += gapReader.varint();
  const reader = spill.vectors.reader(vectors, 1 << 20);
  const vector = new ByteWriter();
  for (let d = 0; d < documents; d++) {
    reader.ensure(5);
    const size = reader.bytes.varint();
    reader.ensure(size);
    const { bytes } = reader;
    const end = bytes.position + size;
    vector.reset();
    for (let local = -1, previous = -1; bytes.position < end;) {
      local += bytes.varint();
      vector.varint(numbers[local] - previous);
      previous = numbers[local];
      vector.varint(bytes.varint());
    }
    out.add(vector.view());
  }
}
