import { reasonOf, throwIfAborted } from '../../common/errors.js';
import { occurrences } from '../../common/occurrences.js';
import { compareUtf8 } from '../../common/order.js';
import { indexedText } from '../analysis/analyzer.js';
import { dphOf } from '../models/dph.js';
import { statisticsOf } from './statistics.js';
import { roundUpToFloat32, type Postings } from './postings.js';
import { Index } from './reader.js';
import { FILES, type FileName } from './storage.js';

export interface CheckOptions {
  readonly signal?: AbortSignal | undefined;
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
 * Verifies an index: the checksums of all files, then every structure against the others: ids against documents, texts
 * against forward vectors (by analysing them again) and lengths, vectors against postings, postings against frequencies
 * and block maxima, all against the manifest's statistics.
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
      ...FILES.map((name) => () => this.#checkFile(name)),
      () => this.#checkIds(),
      () => this.#each(documents, 0, (document) => this.#checkDocument(document)),
      () => this.#each(terms, documents, (term) => this.#checkTerm(term)),
      () => this.#checkFingerprints(),
      () => this.#checkTotals(),
    ];
    for (const step of steps) this.#attempt(step);
    return { problems: this.#problems, documents, terms, postings: this.#postings };
  }

  #checkFile(name: FileName): void {
    const { damaged, isRecorded } = this.index.files[name].verify(() => throwIfAborted(this.options.signal));
    if (damaged.length > 0) {
      this.#report(`file ${name}: ${damaged.length} blocks are damaged, the first is block ${damaged[0]}`);
    } else if (!isRecorded) {
      this.#report(`file ${name} is not the one that the manifest describes`);
    }
  }

  #checkIds(): void {
    const { index } = this;
    let previous = '';
    index.idOrder.forEach((number, rank) => {
      const id = index.documentId(number);
      if (index.document(number).id !== id) {
        this.#report(`id "${id}" points to document ${number}, which is "${index.document(number).id}"`);
      } else if (index.idRanks[number] !== rank) {
        this.#report(`document "${id}" has place ${index.idRanks[number]} in the order of ids, not ${rank}`);
      } else if (compareUtf8(previous, id) >= 0) {
        this.#report(`id "${id}" comes after "${previous}" in the order of ids`);
      }
      previous = id;
    });
  }

  #checkDocument(number: number): void {
    const { index } = this;
    const document = index.indexedDocument(number);
    const { id } = document;
    const analysed = occurrences(index.analyzer.analyze(indexedText(document)));
    const { terms, frequencies } = index.vector(number);
    let length = 0;
    let differs = terms.length !== analysed.size;
    for (let i = 0; i < terms.length; i++) {
      length += frequencies[i];
      this.#fingerprints[number] += fingerprint(terms[i], frequencies[i]);
      differs ||= analysed.get(index.termFacts(terms[i]).name) !== frequencies[i];
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
    const term = index.termByNumber(number);
    const what = `term "${term.name}"`;
    if (index.term(term.name)?.number !== number)
      this.#report(`${what} is number ${number}, but is not found by name`);
    const postings = index.postings(term);
    const { documents: N } = index.statistics;
    const dph = dphOf({ documents: N, tokens: this.#tokens }, term.collectionFrequency);
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
    const { nonEmptyDocuments, maxLength } = statisticsOf(lengths, statistics.terms, this.#postings);
    const expected: [string, number, number][] = [
      ['tokens', this.#tokens, statistics.tokens],
      ['postings', this.#postings, statistics.postings],
      ['non-empty documents', nonEmptyDocuments, statistics.nonEmptyDocuments],
      ['longest document', maxLength, statistics.maxLength],
    ];
    for (const [what, found, wanted] of expected) {
      if (found !== wanted) this.#report(`${what}: ${found} found, the manifest says ${wanted}`);
    }
  }

  #each(count: number, doneBefore: number, check: (number: number) => void): void {
    const { documents, terms } = this.index.statistics;
    for (let i = 0; i < count && this.#problems.length < MAX_PROBLEMS; i++) {
      this.#attempt(() => check(i));
      if (i % 1000 === 0) {
        throwIfAborted(this.options.signal);
        this.options.onProgress?.(doneBefore + i, documents + terms);
      }
    }
  }

  /** Runs a step. A structure that is too broken to walk is a finding; cancellation is not. */
  #attempt(step: () => void): void {
    if (this.#problems.length >= MAX_PROBLEMS) return;
    try {
      step();
    } catch (error) {
      throwIfAborted(this.options.signal);
      this.#report(reasonOf(error));
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
