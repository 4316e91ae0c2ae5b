import { throwIfAborted } from '../../common/errors.js';
import { dphOf } from '../models/index.js';
import { roundUpToFloat32, type Postings } from './postings.js';
import { Index } from './reader.js';

export interface CheckOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** The result of a check. */
export interface CheckReport {
  /** A line per problem, at most {@link MAX_PROBLEMS}; empty for a sound index. */
  readonly problems: string[];
  readonly documents: number;
  readonly terms: number;
  readonly postings: number;
}

const MAX_PROBLEMS = 20;

/**
 * Checks the structures of an index against each other: ids against documents, texts (analysed again) against forward
 * vectors and lengths, vectors against postings, postings against frequencies and block maxima, and all against the
 * statistics of the manifest.
 */
export function checkIndex(folder: string, options: CheckOptions = {}): CheckReport {
  const index = Index.open(folder);
  try {
    return new Check(index, options).run();
  } finally {
    void index.close();
  }
}

class Check {
  readonly #problems: string[] = [];
  /** A sum over each document's (term, frequency) pairs, added from vectors and subtracted from postings. */
  readonly #fingerprints: Float64Array;
  #tokens = 0;
  #postings = 0;

  constructor(
    private readonly index: Index,
    private readonly options: CheckOptions,
  ) {
    this.#fingerprints = new Float64Array(index.statistics.documents);
  }

  run(): CheckReport {
    const { documents, terms } = this.index.statistics;
    const steps: (() => void)[] = [
      () => this.#checkCounts(),
      () => this.#checkIds(),
      () => this.#each(documents, 0, (document) => this.#checkDocument(document)),
      () => this.#each(terms, documents, (term) => this.#checkTerm(term)),
      () => this.#checkFingerprints(),
      () => this.#checkTotals(),
    ];
    for (const step of steps) {
      try {
        if (this.#problems.length < MAX_PROBLEMS) step();
      } catch (error) {
        // A structure that cannot be read is a problem to report; an abort is not.
        throwIfAborted(this.options.signal);
        this.#report(error instanceof Error ? error.message : String(error));
      }
    }
    return { problems: this.#problems, documents, terms, postings: this.#postings };
  }

  #checkCounts(): void {
    const { storage, statistics } = this.index;
    const expected: [string, number, number][] = [
      ['ids', storage.ids.getCount(), statistics.documents],
      ['documents', storage.documents.getCount(), statistics.documents],
      ['vectors', storage.vectors.getCount(), statistics.documents],
      ['terms', storage.terms.getCount(), statistics.terms],
      ['names', storage.names.getCount(), statistics.terms],
      ['frequencies', storage.frequencies.getCount(), statistics.terms],
      ['postings', storage.postings.getCount(), statistics.terms],
    ];
    for (const [table, found, wanted] of expected) {
      if (found !== wanted) this.#report(`table ${table} has ${found} entries, the manifest says ${wanted}`);
    }
  }

  #checkIds(): void {
    const { storage, idRanks } = this.index;
    let rank = 0;
    for (const { key, value } of storage.ids.getRange({})) {
      const number = value.readUInt32LE(0);
      const id = key.toString('utf8');
      if (this.index.documentId(number) !== id || this.index.document(number).id !== id) {
        this.#report(`id "${id}" points to document ${number}, which is "${this.index.document(number).id}"`);
      } else if (idRanks[number] !== rank) {
        this.#report(`document "${id}" has place ${idRanks[number]} in the order of ids, not ${rank}`);
      }
      rank++;
    }
  }

  #checkDocument(number: number): void {
    const { index } = this;
    const { id, title, text } = index.document(number);
    const analysed = new Map<string, number>();
    for (const term of index.analyzer.analyze(title ? `${title} ${text}` : text)) {
      analysed.set(term, (analysed.get(term) ?? 0) + 1);
    }
    const { terms, frequencies } = index.vector(number);
    let length = 0;
    let differs = terms.length !== analysed.size;
    for (let i = 0; i < terms.length; i++) {
      length += frequencies[i];
      this.#fingerprints[number] += fingerprint(terms[i], frequencies[i]);
      differs ||= analysed.get(index.termName(terms[i])) !== frequencies[i];
    }
    this.#tokens += length;
    if (differs) this.#report(`document "${id}": its forward vector is not what its text gives`);
    if (index.lengths[number] !== length) {
      this.#report(
        `document "${id}" has length ${index.lengths[number]}, its forward vector sums to ${length}`,
      );
    }
  }

  #checkTerm(number: number): void {
    const { index } = this;
    const name = index.termName(number);
    const term = index.termByNumber(number);
    const what = `term "${name}"`;
    if (index.term(name)?.number !== number)
      this.#report(`${what} is number ${number}, but is not found by name`);
    const postings = index.postings(term);
    const { documents: N } = index.statistics;
    const dph = dphOf({ documents: N, averageLength: this.#tokens / N }, term.collectionFrequency);
    let count = 0;
    let occurrences = 0;
    let previous = -1;
    for (let block = 0; block < postings.blocks; block++) {
      const size = postings.decode(block);
      const frequencies = postings.decodeFrequencies();
      let maxFrequency = 0;
      let minLength = Number.POSITIVE_INFINITY;
      let maxDph = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < size; i++) {
        const document = postings.documents[i];
        const frequency = frequencies[i];
        if (document <= previous || document >= N || frequency < 1) {
          this.#report(`${what}: posting (${document}, ${frequency}) after document ${previous}`);
          return;
        }
        previous = document;
        const length = index.lengths[document];
        occurrences += frequency;
        maxFrequency = Math.max(maxFrequency, frequency);
        minLength = Math.min(minLength, length);
        maxDph = Math.max(maxDph, dph(frequency, length));
        this.#fingerprints[document] -= fingerprint(number, frequency);
      }
      count += size;
      this.#checkBlock(what, postings, block, { last: previous, maxFrequency, minLength, maxDph });
    }
    this.#postings += count;
    if (count !== term.documentFrequency || occurrences !== term.collectionFrequency) {
      this.#report(
        `${what} has ${count} postings and ${occurrences} occurrences, its frequencies say ` +
          `${term.documentFrequency} and ${term.collectionFrequency}`,
      );
    }
  }

  #checkBlock(
    what: string,
    postings: Postings,
    block: number,
    found: { last: number; maxFrequency: number; minLength: number; maxDph: number },
  ): void {
    const sound =
      postings.lastDocument[block] === found.last &&
      postings.maxFrequency[block] === found.maxFrequency &&
      postings.minLength[block] === found.minLength &&
      postings.maxDph[block] === roundUpToFloat32(found.maxDph);
    if (!sound) this.#report(`${what}: the maxima of block ${block} are not those of its postings`);
  }

  #checkFingerprints(): void {
    const broken = this.#fingerprints.findIndex((rest) => rest !== 0);
    if (broken >= 0) {
      this.#report(`document "${this.index.documentId(broken)}": postings and forward vector disagree`);
    }
  }

  #checkTotals(): void {
    const { statistics, lengths } = this.index;
    let longest = 0;
    let nonEmpty = 0;
    for (const length of lengths) {
      if (length > longest) longest = length;
      if (length > 0) nonEmpty++;
    }
    const expected: [string, number, number][] = [
      ['tokens', this.#tokens, statistics.tokens],
      ['postings', this.#postings, statistics.postings],
      ['non-empty documents', nonEmpty, statistics.nonEmptyDocuments],
      ['longest document', longest, statistics.maxLength],
    ];
    for (const [what, found, wanted] of expected) {
      if (found !== wanted) this.#report(`${what}: ${found} found, the manifest says ${wanted}`);
    }
  }

  #each(count: number, doneBefore: number, check: (number: number) => void): void {
    const { documents, terms } = this.index.statistics;
    for (let i = 0; i < count && this.#problems.length < MAX_PROBLEMS; i++) {
      check(i);
      if (i % 1000 === 0) {
        throwIfAborted(this.options.signal);
        this.options.onProgress?.(doneBefore + i, documents + terms);
      }
    }
  }

  #report(problem: string): void {
    this.#problems.push(problem);
  }
}

/** A hash of both, a whole number below 2^40; sums of a few thousand are exact in a double. */
function fingerprint(term: number, frequency: number): number {
  const mixed = Math.imul(term + 1, 0x9e3779b1) ^ Math.imul(frequency + 0x85eb, 0xc2b2ae35);
  return (mixed >>> 0) * 128 + (term % 128);
}
