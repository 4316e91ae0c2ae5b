import { usageError } from '../../common/errors.js';
import { Bm25, Dph, QueryLikelihood, type WeightedTerm, type WeightingModel } from '../../retrieval/index.js';
import { fields, nativeField, type EngineStatistics } from './definition.js';
import type { EngineIndex } from './engine-index.js';
import type { CollectionCounts } from './global-statistics.js';

/** A query term with its counts in the collection. */
export type CountedTerm = WeightedTerm & CollectionCounts;

/** A query for the server that scores by a weighting model. */
export interface ScoringQuery {
  readonly query: object;
  /** True for Lucene's own similarities: the server must gather statistics from all shards first. */
  readonly gathersStatistics: boolean;
  /** The amount by which all scores are too high. */
  readonly lift: number;
}

/**
 * The contribution of one term in the server's script language: `_score` is tf, `length` is dl. The formulas are those
 * of retrieval/models; what does not depend on the document is computed here and passed as parameters. Parameters are
 * read into doubles first: JSON has no 1000.0, and the script language divides integers as integers.
 */
const scripts = {
  dph: `
    double tf = _score;
    double dl = doc['${fields.length}'].value;
    double rest = dl > tf ? dl - tf : dl * 1e-5;
    double oneMinusF = rest / dl;
    double nats = tf * (Math.log(tf / dl) + params.rarity) + 0.5 * Math.log(6.283185307179586 * tf * oneMinusF);
    double gain = params.weight * oneMinusF * oneMinusF / (tf + 1) * nats * 1.4426950408889634;
    return Math.max(0.0, gain + params.lift);`,
  bm25: `
    double norm = params.constant + params.slope * doc['${fields.length}'].value;
    return params.weight * _score / (_score + norm);`,
  ql: `
    double mu = params.mu;
    double gain = Math.log(1 + _score / params.prior) + Math.log(mu / (doc['${fields.length}'].value + mu));
    return Math.max(0.0, params.weight * gain);`,
} as const;

/** The query that makes the server score as the model does. */
export function scoringQuery(
  model: WeightingModel,
  terms: readonly CountedTerm[],
  index: EngineIndex,
): ScoringQuery {
  if (!index.manifest) {
    if (model instanceof Bm25 && model.lengthNorm === 'lucene') {
      return native(terms, index.content, 1);
    }
    throw usageError(
      `The index ${index.name} was not made by bert-qe and is searched as it is: use --model bm25 --length-norm lucene.`,
    );
  }
  if ((model instanceof Bm25 || model instanceof QueryLikelihood) && model.lengthNorm === 'lucene') {
    return nativeOf(model, terms, index);
  }
  if (index.manifest.scripts === false) {
    throw usageError(
      `The index ${index.name} was made without scripts, which ${model.name} needs there: ` +
        'use --model bm25 or ql with --length-norm lucene.',
    );
  }
  const { statistics } = index;
  if (model instanceof Dph) return dph(terms, statistics);
  if (model instanceof Bm25) {
    return scripted('bm25', terms, (term) => bm25Parameters(model, term, statistics));
  }
  if (model instanceof QueryLikelihood) {
    return scripted('ql', terms, (term) => qlParameters(model, term, statistics));
  }
  throw usageError(`A search engine cannot score by ${model.name}; use DPH, BM25 or QL.`);
}

/**
 * DPH of a very common term is negative in long documents, and the server refuses negative scores. Such a term's scores
 * are therefore lifted by the most that they can fall below 0, and documents without the term are lifted equally.
 */
function dph(terms: readonly CountedTerm[], { tokens, maxLength }: EngineStatistics): ScoringQuery {
  // avgdl/dl · N/F is T/(dl·F), whatever N counts; dl is at most the longest document's.
  const lifts = terms.map(({ weight, collectionFrequency: F }) =>
    Math.max(0, weight * Math.log2((maxLength * F) / tokens)),
  );
  const should = terms.map(({ term, weight, collectionFrequency: F }, i) =>
    scriptClause('dph', term, { weight, rarity: Math.log(tokens / F), lift: lifts[i] }),
  );
  terms.forEach(({ term }, i) => {
    if (lifts[i] === 0) return;
    const without = { bool: { must_not: [{ term: { [fields.content]: term } }] } };
    should.push({ constant_score: { filter: without, boost: lifts[i] } });
  });
  const some = { terms: { [fields.content]: terms.map(({ term }) => term) } };
  return {
    query: { bool: { should, filter: [some] } },
    gathersStatistics: false,
    lift: lifts.reduce((sum, lift) => sum + lift, 0),
  };
}

function bm25Parameters(
  { k1, b }: Bm25,
  { weight, documentFrequency: n }: CountedTerm,
  all: EngineStatistics,
) {
  const { nonEmptyDocuments: N, tokens } = all;
  const idf = Math.log(1 + (N - n + 0.5) / (n + 0.5));
  return { weight: weight * idf, constant: k1 * (1 - b), slope: (k1 * b * N) / tokens };
}

function qlParameters({ mu }: QueryLikelihood, term: CountedTerm, { tokens }: EngineStatistics) {
  return { weight: term.weight, mu, prior: (mu * (term.collectionFrequency + 1)) / (tokens + 1) };
}

function scripted(
  script: keyof typeof scripts,
  terms: readonly CountedTerm[],
  parametersOf: (term: CountedTerm) => object,
): ScoringQuery {
  const should = terms.map((term) => scriptClause(script, term.term, parametersOf(term)));
  return { query: { bool: { should } }, gathersStatistics: false, lift: 0 };
}

function scriptClause(script: keyof typeof scripts, term: string, params: object): object {
  return {
    script_score: {
      query: { term: { [fields.content]: term } },
      script: { source: scripts[script], params },
    },
  };
}

/** The query by one of Lucene's own similarities. */
function nativeOf(
  model: Bm25 | QueryLikelihood,
  terms: readonly CountedTerm[],
  index: EngineIndex,
): ScoringQuery {
  if (model instanceof QueryLikelihood) {
    refuseOther('ql', { mu: model.mu }, index);
    return native(terms, nativeField('ql'), 1);
  }
  const { k1, b } = model;
  refuseOther('bm25', { k1, b }, index);
  const { connection } = index;
  const factor = connection.dialect.hasOldBm25(connection.version) ? 1 / (k1 + 1) : 1;
  return native(terms, nativeField('bm25'), factor);
}

function native(terms: readonly CountedTerm[], field: string, factor: number): ScoringQuery {
  const should = terms.map(({ term, weight }) => ({
    term: { [field]: { value: term, boost: weight * factor } },
  }));
  return { query: { bool: { should } }, gathersStatistics: true, lift: 0 };
}

/** Refuses other parameters than those that the server's own similarities have in this index. */
function refuseOther(
  model: 'bm25' | 'ql',
  wanted: Readonly<Record<string, number>>,
  { name, native }: EngineIndex,
): void {
  const there = native[model] as Readonly<Record<string, number>> | undefined;
  if (there && Object.entries(wanted).every(([key, value]) => there[key] === value)) return;
  const what = there ? `has it with ${JSON.stringify(there)}` : 'was created without it';
  throw usageError(
    `Lucene's own ${model} with ${JSON.stringify(wanted)} is not in the index ${name}, which ${what}: ` +
      'use --length-norm exact.',
  );
}
