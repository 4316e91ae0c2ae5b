import { concat } from '../../common/concat.js';
import { memoised } from '../../common/lazy.js';
import { occurrences } from '../../common/occurrences.js';
import { indexedText } from '../../retrieval/index.js';
import type { Vocabulary } from '../words/vocabulary.js';

/** The published sizes. */
export const nprfSizes = {
  /** Feedback documents. */
  documents: 10,
  /** Terms of a feedback document. */
  terms: 20,
  /** Bins of a histogram; the last one is for equal terms. */
  bins: 30,
} as const;

/** The terms of a document with their frequencies. A term that the collection lacks has a number of its own. */
export type TermCounts = ReadonlyMap<string, number>;

export function termCounts(
  { analyzer }: Vocabulary,
  document: { readonly title?: string | undefined; readonly text: string },
): TermCounts {
  return occurrences(analyzer.analyze(indexedText(document)));
}

/** A feedback document as a query. */
export interface FeedbackQuery {
  /** Its terms with the largest tf·idf, of at least two letters and no numbers. */
  readonly terms: readonly string[];
  readonly idf: readonly number[];
  /** The document's gate: its initial score, scaled to .5 … 1 among the feedback documents. */
  readonly gate: number;
}

/** ln((N − df + ½)/(df + ½)); a term that the collection lacks counts as in one document. */
function inverseFrequency({ documents, numbers, documentFrequencies }: Vocabulary, term: string): number {
  const number = numbers.get(term);
  const frequency = number === undefined ? 1 : documentFrequencies[number];
  return Math.log((documents - frequency + 0.5) / (frequency + 0.5));
}

/** The feedback queries of a ranking's first documents. Without scores all gates are 1. */
export function feedbackQueries(
  vocabulary: Vocabulary,
  ranked: readonly { readonly counts: TermCounts; readonly score?: number | undefined }[],
): FeedbackQuery[] {
  const feedback = ranked.slice(0, nprfSizes.documents);
  const scores = feedback.map(({ score = 1 }) => score);
  const [most, least] = [Math.max(...scores), Math.min(...scores)];
  return feedback.map(({ counts }, i) => {
    const weighted = [...counts]
      .filter(([term]) => [...term].length >= 2 && !/^\p{N}+$/u.test(term))
      .map(([term, count]) => ({ term, weight: count * inverseFrequency(vocabulary, term) }))
      // Equal weights are in the order of the terms.
      .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1));
    const terms = weighted.slice(0, nprfSizes.terms).map(({ term }) => term);
    return {
      terms,
      idf: terms.map((term) => inverseFrequency(vocabulary, term)),
      gate: most > least ? 0.5 + (0.5 * (scores[i] - least)) / (most - least) : 1,
    };
  });
}

/** The inputs of the network for some documents of a query. */
export interface NprfFeatures {
  /** `[documents × 10 × 20, 30]`. */
  readonly histograms: Float32Array<ArrayBuffer>;
  /** `[documents × 10 × 20, 1]`. */
  readonly idf: Float32Array<ArrayBuffer>;
  /** `[documents × 10, 20]`: 0, or for terms that are lacking a large negative number. */
  readonly missing: Float32Array<ArrayBuffer>;
  /** `[documents × 10, 1]`: 0 for feedback documents that are lacking. */
  readonly gates: Float32Array<ArrayBuffer>;
}

/** A term that is lacking has no share in a softmax with this beside its weight. */
const ABSENT = -1e9;

/** The gates and term weights of a query's feedback, and histograms of documents against it. */
export class QueryFeatures {
  /** The terms of all feedback documents, each once. */
  readonly #terms: readonly string[];
  readonly #places: readonly (readonly number[])[];
  /** Bins of a term of a document against all feedback terms. */
  readonly #binsOf = memoised((term: string) => this.#compare(term));

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly feedback: readonly FeedbackQuery[],
  ) {
    this.#terms = [...new Set(feedback.flatMap(({ terms }) => terms))];
    const place = new Map(this.#terms.map((term, i) => [term, i]));
    this.#places = feedback.map(({ terms }) => terms.map((term) => place.get(term)!));
  }

  /** Comparisons of terms that a document's histograms need. */
  comparisons(counts: TermCounts): number {
    return counts.size * this.#terms.length;
  }

  of(documents: readonly TermCounts[]): NprfFeatures {
    const { documents: kd, terms: kt, bins } = nprfSizes;
    const rows = documents.length * kd * kt;
    const features: NprfFeatures = {
      histograms: new Float32Array(rows * bins),
      idf: new Float32Array(rows),
      missing: new Float32Array(rows).fill(ABSENT),
      gates: new Float32Array(documents.length * kd),
    };
    documents.forEach((counts, d) => {
      const histograms = this.#histograms(counts);
      this.feedback.forEach(({ idf, gate }, f) => {
        if (idf.length > 0) features.gates[d * kd + f] = gate;
        this.#places[f].forEach((place, t) => {
          const row = (d * kd + f) * kt + t;
          features.histograms.set(histograms.subarray(place * bins, (place + 1) * bins), row * bins);
          features.idf[row] = idf[t];
          features.missing[row] = 0;
        });
      });
    });
    return features;
  }

  /** log₁₀(1 + count) of every bin, of each feedback term. */
  #histograms(counts: TermCounts): Float32Array {
    const { bins } = nprfSizes;
    const histograms = new Float32Array(this.#terms.length * bins);
    for (const [term, count] of counts) {
      this.#binsOf(term).forEach((bin, place) => (histograms[place * bins + bin] += count));
    }
    return histograms.map((count) => Math.log10(1 + count));
  }

  #compare(term: string): Uint8Array {
    const { vectors, numbers, dimensions } = this.vocabulary;
    const own = (numbers.get(term) ?? -1) * dimensions;
    return Uint8Array.from(this.#terms, (other) => {
      if (other === term) return nprfSizes.bins - 1;
      const row = (numbers.get(other) ?? -1) * dimensions;
      let cosine = 0;
      if (own >= 0 && row >= 0) {
        for (let i = 0; i < dimensions; i++) cosine += vectors[own + i] * vectors[row + i];
      }
      return binOf(cosine);
    });
  }
}

/** The bin of the cosine of two different terms: 29 of equal width from −1 to 1. */
export function binOf(cosine: number): number {
  return Math.min(nprfSizes.bins - 2, Math.max(0, Math.floor(((cosine + 1) / 2) * (nprfSizes.bins - 1))));
}

/** The features of several documents, one after the other. */
export function joined(parts: readonly NprfFeatures[]): NprfFeatures {
  const join = (of: (part: NprfFeatures) => Float32Array) => concat(Float32Array, parts.map(of));
  return {
    histograms: join(({ histograms }) => histograms),
    idf: join(({ idf }) => idf),
    missing: join(({ missing }) => missing),
    gates: join(({ gates }) => gates),
  };
}
