import { compareUtf8 } from '../../common/order.js';
import { ByteWriter } from './bytes.js';
import type { Segment } from './segment.js';
import type { SpilledSegment, TemporaryFile } from './spill.js';

export interface SpillFiles {
  readonly postings: TemporaryFile;
  readonly vectors: TemporaryFile;
}

/**
 * Writes a segment to the spill files: its postings term by term in byte order of the terms, its forward vectors with
 * the numbers that this order gives the terms. Two counting sorts, no comparison per posting.
 */
export function invertSegment(segment: Segment, files: SpillFiles): SpilledSegment {
  const names = [...segment.vocabulary.keys()].sort(compareUtf8);
  const order = names.map((name) => segment.vocabulary.get(name)!);

  // The postings of each local term begin where those of the term before it in the order end.
  const next = new Uint32Array(order.length);
  let at = 0;
  for (const local of order) {
    next[local] = at;
    at += segment.documentFrequencies[local];
  }
  const byTermDocument = new Uint32Array(at);
  const byTermFrequency = new Uint32Array(at);
  const { terms, frequencies, starts, firstDocument } = segment;
  for (let d = 0; d < segment.documents; d++) {
    for (let i = starts[d]; i < starts[d + 1]; i++) {
      const slot = next[terms[i]]++;
      byTermDocument[slot] = firstDocument + d;
      byTermFrequency[slot] = frequencies[i];
    }
  }

  // Visiting the terms in order and adding each posting to its document sorts the vectors by term.
  const fill = Uint32Array.from(starts);
  const start = files.postings.size;
  const record = new ByteWriter();
  const postings = new ByteWriter();
  let from = 0;
  order.forEach((local, number) => {
    const to = from + segment.documentFrequencies[local];
    let occurrences = 0;
    let previous = -1;
    postings.reset();
    for (let i = from; i < to; i++) {
      const document = byTermDocument[i];
      const frequency = byTermFrequency[i];
      const slot = fill[document - firstDocument]++;
      terms[slot] = number;
      frequencies[slot] = frequency;
      occurrences += frequency;
      postings.varint(document - previous);
      postings.varint(frequency);
      previous = document;
    }
    record.reset();
    record.string(names[number]);
    record.varint(to - from);
    record.varint53(occurrences);
    record.varint(postings.length);
    files.postings.append(record.view());
    files.postings.append(postings.view());
    from = to;
  });
  files.postings.flush();
  return {
    terms: order.length,
    documents: segment.documents,
    postings: { start, end: files.postings.size },
    vectors: spillVectors(segment, files.vectors),
  };
}

function spillVectors({ terms, frequencies, starts, documents }: Segment, file: TemporaryFile) {
  const start = file.size;
  const vector = new ByteWriter();
  const size = new ByteWriter(8);
  for (let d = 0; d < documents; d++) {
    vector.reset();
    let previous = -1;
    for (let i = starts[d]; i < starts[d + 1]; i++) {
      vector.varint(terms[i] - previous);
      vector.varint(frequencies[i]);
      previous = terms[i];
    }
    size.reset();
    size.varint(vector.length);
    file.append(size.view());
    file.append(vector.view());
  }
  file.flush();
  return { start, end: file.size };
}
