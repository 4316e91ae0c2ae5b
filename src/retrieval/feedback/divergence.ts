import { scaleToMaximum, type WeightedQuery } from '../query.js';
import type { FeedbackDocument, FeedbackModel, FeedbackSource } from './feedback.js';

export interface DivergenceOptions {
  /** The size of the feedback set, Terrier's `expansion.documents` (3). */
  readonly documents?: number;
  /** The number of expansion terms, Terrier's `expansion.terms`; at least that of the query's terms (10). */
  readonly terms?: number;
  /**
   * Rocchio's β, the weight of the heaviest expansion term relative to an original one (Terrier's default is 0.4).
   * Without it, the parameter-free normaliser is used.
   */
  readonly rocchioBeta?: number;
}

/** Statistics of the collection and the feedback set. */
export interface ExpansionStatistics {
  /** N: documents of the collection. */
  readonly documents: number;
  /** T: term occurrences in the collection. */
  readonly tokens: number;
  /** lx: total length of the feedback set. */
  readonly feedbackLength: number;
}

/** A measure of how much more frequent a term is in the feedback set than expected by chance. */
export interface DivergenceModel {
  readonly name: string;
  /** The weight of a term with tfx occurrences in the feedback set and F in the collection. */
  weight(tfx: number, F: number, statistics: ExpansionStatistics): number;
  /** The parameter-free normaliser, from the heaviest term's tfx. */
  normaliser(tfx: number, statistics: ExpansionStatistics): number;
}

/** A term in fewer feedback documents has weight 0 unless it is a query term. */
const MIN_FEEDBACK_DOCUMENTS = 2;

/** Terrier's query expansion with a divergence model: {@link KL} or {@link Bo1}. */
export class DivergenceFeedback implements FeedbackModel {
  readonly name: string;
  readonly documents: number;
  readonly terms: number;
  readonly rocchioBeta: number | undefined;

  constructor(
    private readonly model: DivergenceModel,
    { documents = 3, terms = 10, rocchioBeta }: DivergenceOptions = {},
  ) {
    this.name = model.name;
    this.documents = documents;
    this.terms = terms;
    this.rocchioBeta = rocchioBeta;
  }

  expand(query: WeightedQuery, feedback: readonly FeedbackDocument[], index: FeedbackSource): WeightedQuery {
    const best = this.#heaviestTerms(query, feedback.slice(0, this.documents), index);
    if (best.length === 0 || best[0].weight <= 0) return query;
    const expanded = query.map((entry) => ({ ...entry }));
    for (const { term, share } of best) {
      const entry = expanded.find((candidate) => candidate.term === term);
      if (entry) entry.weight += share;
      else if (share > 0) expanded.push({ term, weight: share });
    }
    return scaleToMaximum(expanded);
  }

  /** The heaviest terms of the feedback set, query terms included; `share` is added to their weight in the query. */
  #heaviestTerms(query: WeightedQuery, feedback: readonly FeedbackDocument[], index: FeedbackSource) {
    const { documents, tokens } = index.statistics;
    const feedbackLength = feedback.reduce((sum, { document }) => sum + index.lengths[document], 0);
    const statistics = { documents, tokens, feedbackLength };
    const isQueryTerm = new Set(query.map(({ term }) => index.term(term)?.number));
    const rare = feedback.length >= MIN_FEEDBACK_DOCUMENTS ? MIN_FEEDBACK_DOCUMENTS : 0;

    const candidates = [...countTerms(feedback, index)].map(([number, { occurrences, inDocuments }]) => {
      const { collectionFrequency, name } = index.termFacts(number);
      const tooRare = inDocuments < rare && !isQueryTerm.has(number);
      const weight = tooRare ? 0 : this.model.weight(occurrences, collectionFrequency, statistics);
      return { term: name, occurrences, weight };
    });
    // For equal weights, Terrier uses the order of a hash table; the order of the terms is reproducible.
    candidates.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1));
    const [heaviest] = candidates;
    if (!heaviest) return [];
    const scale =
      this.rocchioBeta === undefined
        ? 1 / this.model.normaliser(heaviest.occurrences, statistics)
        : this.rocchioBeta / heaviest.weight;
    const wanted = Math.max(this.terms, query.length);
    return candidates.slice(0, wanted).map(({ term, weight }) => ({ term, weight, share: weight * scale }));
  }
}

function countTerms(feedback: readonly FeedbackDocument[], index: FeedbackSource) {
  const counts = new Map<number, { occurrences: number; inDocuments: number }>();
  for (const { document } of feedback) {
    const { terms, frequencies } = index.vector(document);
    for (let i = 0; i < terms.length; i++) {
      const count = counts.get(terms[i]);
      if (count) {
        count.occurrences += frequencies[i];
        count.inDocuments++;
      } else {
        counts.set(terms[i], { occurrences: frequencies[i], inDocuments: 1 });
      }
    }
  }
  return counts;
}

/** Kullback-Leibler: (tfx/lx)·log2( (tfx/lx) / (F/T) ), 0 where the term is no more frequent than in the collection. */
export const KL: DivergenceModel = {
  name: 'KL',
  weight(tfx, F, { tokens, feedbackLength }) {
    const inFeedback = tfx / feedbackLength;
    const inCollection = F / tokens;
    return inFeedback < inCollection ? 0 : inFeedback * Math.log2(inFeedback / inCollection);
  },
  normaliser(tfx, { tokens, feedbackLength }) {
    return (tfx * Math.log2(tokens / feedbackLength)) / feedbackLength;
  },
};

/** Bose-Einstein 1: tfx·log2((1+λ)/λ) + log2(1+λ), λ = F/N; the normaliser takes λ = tfx/N. */
export const Bo1: DivergenceModel = {
  name: 'Bo1',
  weight: (tfx, F, { documents }) => bose(tfx, F / documents),
  normaliser: (tfx, { documents }) => bose(tfx, tfx / documents),
};

function bose(tfx: number, lambda: number): number {
  return tfx * Math.log2((1 + lambda) / lambda) + Math.log2(1 + lambda);
}
