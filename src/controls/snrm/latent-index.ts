import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ranking, SearchOptions } from '../../collection/index.js';
import { writeFileAtomic } from '../../common/atomic.js';
import { missingError } from '../../common/errors.js';
import { hashJson } from '../../common/hash.js';
import { buildIndex, createAnalyzer, DotProduct, Index, Searcher } from '../../retrieval/index.js';
import type { ProgressCall } from '../words/skip-gram.js';

/** A sparse representation: the weights of the latent terms that are active in a text, by ascending number. */
export interface LatentVector {
  readonly terms: readonly number[];
  readonly weights: readonly number[];
}

/** Rocchio feedback on latent terms. */
export interface LatentFeedback {
  /** The first documents of the ranking that are taken as relevant (10). */
  readonly documents: number;
  /** The terms with the largest mean weight in them (20). */
  readonly terms: number;
  /** The weight of that mean beside the query (0.5). */
  readonly weight: number;
}

export const feedbackDefaults: LatentFeedback = { documents: 10, terms: 20, weight: 0.5 };

/** What is known of a latent index; in `latent.json` beside it. */
export interface LatentFacts {
  /** The digest of the index whose documents it has. */
  readonly documents: string;
  /** The weight that a frequency of 1 stands for. */
  readonly step: number;
  readonly latentTerms: number;
  /** Latent terms that occur in some document. */
  readonly usedTerms: number;
  /** The mean share of latent terms in a document, after rounding. */
  readonly density: number;
  /** Postings of the most frequent latent term and of the one in the middle. */
  readonly longestPostings: number;
  readonly medianPostings: number;
  /** Documents without a latent term, and documents with the same latent terms and weights as another one. */
  readonly emptyDocuments: number;
  readonly equalDocuments: number;
}

/** The largest weight is stored as this frequency; smaller ones are rounded, to 0 where they are less than half of one. */
export const levels = 31;

const folderName = 'latent';
const factsName = 'latent.json';

/** True where a model's folder has a latent index of these documents. */
export async function hasLatentIndex(model: string, documents: string): Promise<boolean> {
  if (!existsSync(join(model, factsName))) return false;
  return (await readFacts(model)).documents === documents;
}

/**
 * Builds the index of latent terms beside a model: a term per latent dimension, whose frequency is the rounded weight. The
 * texts stay in the index that the documents come from.
 */
export async function buildLatentIndex(
  model: string,
  source: Index,
  latentTerms: number,
  represent: (documents: readonly number[]) => Promise<readonly LatentVector[]>,
  { signal, onProgress }: ProgressCall,
): Promise<void> {
  const { documents } = source.statistics;
  let step = 0;
  let emptyDocuments = 0;
  const postings = new Uint32Array(latentTerms);
  const seen = new Map<string, number>();
  const represented = async function* () {
    for (let from = 0; from < documents; from += documentsAtOnce) {
      const numbers = Array.from({ length: Math.min(documentsAtOnce, documents - from) }, (_, i) => from + i);
      const vectors = await represent(numbers);
      // The first documents say how large weights are.
      step ||= largest(vectors) / levels;
      for (const [i, { terms, weights }] of vectors.entries()) {
        const frequencies = weights.map((weight) => Math.round(weight / step));
        const text = terms.map((term, t) => `${termName(term)} `.repeat(frequencies[t])).join('');
        if (text === '') emptyDocuments++;
        terms.forEach((term, t) => (postings[term] += frequencies[t] > 0 ? 1 : 0));
        const key = hashJson(text);
        seen.set(key, (seen.get(key) ?? 0) + 1);
        yield { id: source.documentId(from + i), text: '', searched: text };
      }
      onProgress?.(from + numbers.length, documents);
    }
  };
  await buildIndex(represented(), {
    folder: join(model, folderName),
    analyzer: createAnalyzer({ base: 'plain' }),
    signal,
  });
  const lengths = [...postings].filter((length) => length > 0).sort((a, b) => b - a);
  const facts: LatentFacts = {
    documents: source.manifest.digest,
    step,
    latentTerms,
    usedTerms: lengths.length,
    density: lengths.reduce((sum, length) => sum + length, 0) / (documents * latentTerms),
    longestPostings: lengths[0] ?? 0,
    medianPostings: lengths[lengths.length >> 1] ?? 0,
    emptyDocuments,
    equalDocuments: [...seen.values()].reduce((sum, count) => sum + (count > 1 ? count : 0), 0),
  };
  await writeFileAtomic(join(model, factsName), `${JSON.stringify(facts, undefined, 1)}\n`);
}

const documentsAtOnce = 1000;

/** The largest weight; 1 where nothing is active. */
function largest(vectors: readonly LatentVector[]): number {
  const most = vectors.reduce((max, { weights }) => weights.reduce((a, b) => Math.max(a, b), max), 0);
  return most || 1;
}

function termName(term: number): string {
  return `t${term}`;
}

async function readFacts(model: string): Promise<LatentFacts> {
  const file = join(model, factsName);
  try {
    return JSON.parse(await readFile(file, 'utf8')) as LatentFacts;
  } catch (cause) {
    throw missingError(
      `${file} cannot be read, so the documents cannot be searched; finish the training with: bert-qe train --method snrm … --resume`,
      cause,
    );
  }
}

/** The inverted index of latent terms, searched by dot product. */
export class LatentIndex {
  readonly #searcher: Searcher;

  private constructor(
    readonly facts: LatentFacts,
    readonly index: Index,
  ) {
    this.#searcher = new Searcher(index, { model: new DotProduct(facts.step) });
  }

  static async open(model: string): Promise<LatentIndex> {
    const facts = await readFacts(model);
    return new LatentIndex(facts, Index.open(join(model, folderName)));
  }

  search(query: LatentVector, options: SearchOptions = {}, feedback?: LatentFeedback): Ranking {
    const expanded = feedback ? this.#expand(query, feedback, options) : query;
    const terms = expanded.terms.map((term, i) => ({ term: termName(term), weight: expanded.weights[i] }));
    return this.#searcher.searchTerms(terms, options);
  }

  /** The query and the heaviest terms of the mean of its first documents. */
  #expand(
    query: LatentVector,
    { documents, terms, weight }: LatentFeedback,
    options: SearchOptions,
  ): LatentVector {
    const first = this.search(query, { ...options, depth: documents });
    const sums = new Map<number, number>();
    for (const { id } of first) {
      const vector = this.index.vector(this.index.documentNumber(id)!);
      vector.terms.forEach((number, i) => {
        const term = Number(this.index.termFacts(number).name.slice(1));
        sums.set(term, (sums.get(term) ?? 0) + vector.frequencies[i] * this.facts.step);
      });
    }
    const heaviest = [...sums].sort(([a, x], [b, y]) => y - x || a - b).slice(0, terms);
    const weights = new Map(query.terms.map((term, i) => [term, query.weights[i]]));
    for (const [term, sum] of heaviest) {
      weights.set(term, (weights.get(term) ?? 0) + (weight * sum) / first.length);
    }
    const sorted = [...weights].sort(([a], [b]) => a - b);
    return { terms: sorted.map(([term]) => term), weights: sorted.map(([, value]) => value) };
  }

  close(): Promise<void> {
    return this.index.close();
  }
}
