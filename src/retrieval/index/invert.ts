import { ByteWriter } from './bytes.js';
import type { Segment } from './segment.js';
import type { SpillFile } from './spill.js';
import { u32, type Storage } from './storage.js';

/**
 * Inverts a segment: its postings go to the spill file in term order, its forward vectors into the index, both with the
 * term numbers of the index. Two counting sorts need no comparison per posting. Returns the number of terms.
 */
export function invertSegment(
  segment: Segment,
  storage: Storage,
  spill: SpillFile,
  knownTerms: number,
): number {
  const { numbers, total } = numberTerms(segment.vocabulary, storage, knownTerms);
  const order = Uint32Array.from(numbers.keys()).sort((a, b) => numbers[a] - numbers[b]);

  // The first place of each local term's postings, in the order of term numbers.
  const next = new Uint32Array(numbers.length);
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
  spill.beginSegment();
  let from = 0;
  for (const local of order) {
    const to = from + segment.documentFrequencies[local];
    const number = numbers[local];
    let occurrences = 0;
    for (let i = from; i < to; i++) {
      const slot = fill[byTermDocument[i] - firstDocument]++;
      terms[slot] = number;
      frequencies[slot] = byTermFrequency[i];
      occurrences += byTermFrequency[i];
    }
    spill.add(number, occurrences, byTermDocument, byTermFrequency, from, to);
    from = to;
  }
  spill.endSegment();
  writeVectors(segment, storage);
  return total;
}

/** The index's number of each local term; new terms are added, with numbers from `known` on. */
function numberTerms(vocabulary: ReadonlyMap<string, number>, storage: Storage, known: number) {
  const numbers = new Uint32Array(vocabulary.size);
  let total = known;
  storage.root.transactionSync(() => {
    // In order, since neighbours in the table share pages.
    for (const name of [...vocabulary.keys()].sort()) {
      const local = vocabulary.get(name)!;
      const key = Buffer.from(name);
      const found = storage.terms.getBinaryFast(key);
      if (found) {
        numbers[local] = Buffer.from(found.buffer, found.byteOffset, 4).readUInt32LE(0);
      } else {
        numbers[local] = total;
        storage.terms.putSync(key, u32(total));
        storage.names.putSync(total, key, { append: true });
        total++;
      }
    }
  });
  return { numbers, total };
}

function writeVectors(
  { terms, frequencies, starts, documents, firstDocument }: Segment,
  storage: Storage,
): void {
  const vector = new ByteWriter();
  storage.root.transactionSync(() => {
    for (let d = 0; d < documents; d++) {
      vector.reset();
      let previous = -1;
      for (let i = starts[d]; i < starts[d + 1]; i++) {
        vector.varint(terms[i] - previous);
        vector.varint(frequencies[i]);
        previous = terms[i];
      }
      storage.vectors.putSync(firstDocument + d, Buffer.from(vector.view()), { append: true });
    }
  });
}
