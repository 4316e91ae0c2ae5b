import type { Scorer } from '../../bert/index.js';
import type { DocumentStore, Qrels, Query, Ranking, Run } from '../../collection/index.js';
import { inputError, throwIfAborted } from '../../common/errors.js';
import { BertQE } from '../../expansion/index.js';
import { documentsOf } from '../../runs/index.js';
import { Random } from '../random.js';
import type { TrainingSettings } from '../settings.js';
import { type ExampleJournal, findOnce } from './journal.js';

/** A passage, relevant to the query or not. */
export interface Example {
  readonly document: string;
  readonly passage: string;
  readonly relevant: boolean;
  /** A teacher's probability of relevance. */
  readonly teacher?: number;
}

/** The examples of a query or, in phase three, of one of its chunks. */
export interface QueryExamples {
  readonly query: Query;
  /** The first text of the pairs where it is not the query. */
  readonly chunk?: string;
  readonly examples: readonly Example[];
}

/** A candidate's best passage and, with a teacher, the teacher's probability. */
export type BestPassage = Omit<Example, 'relevant'>;

export interface PassageSource {
  readonly documents: DocumentStore;
  readonly passageModel: Scorer;
  /** A model that scores them, for distillation. */
  readonly teacher?: Scorer | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface QuerySet {
  /** Part of the key in the journal; training queries are sampled, validation queries are not. */
  readonly purpose: 'training' | 'validation';
  readonly queries: readonly Query[];
  readonly run: Run;
  readonly qrels: Qrels;
}

/** Collects the examples of each query: the best passages of its candidates or, for training, of a sample of them. */
export async function collectQueryExamples(
  { purpose, queries, run, qrels }: QuerySet,
  settings: TrainingSettings,
  journal: ExampleJournal<readonly BestPassage[]>,
  source: PassageSource,
  onProgress: (done: number, total: number) => void,
): Promise<QueryExamples[]> {
  const collected: QueryExamples[] = [];
  for (const query of queries) {
    throwIfAborted(source.signal);
    const depth = purpose === 'training' ? settings.depth : (settings.validationDepth ?? settings.depth);
    const all = judgedCandidates(run.get(query.id) ?? [], qrels.get(query.id), depth);
    const chosen = purpose === 'training' ? sampleCandidates(query.id, all, settings) : all;
    const key = `${purpose} ${query.id}`;
    const ids = chosen.map(({ document }) => document);
    const passages = await findOnce(journal, key, () => bestPassages(query, ids, source, settings));
    const relevant = new Set(chosen.filter((one) => one.relevant).map(({ document }) => document));
    collected.push({
      query,
      examples: passages.map((passage) => ({ ...passage, relevant: relevant.has(passage.document) })),
    });
    onProgress(collected.length, queries.length);
  }
  return collected;
}

/** Each document's best passage for the query, as phase one reads it; documents without words are left out. */
async function bestPassages(
  query: Query,
  ids: readonly string[],
  { documents, passageModel, teacher, signal }: PassageSource,
  { passageWords, titleWords }: Pick<TrainingSettings, 'passageWords' | 'titleWords'>,
): Promise<BestPassage[]> {
  if (ids.length === 0) return [];
  const candidates = await documentsOf(query, ids, documents);
  const bertQe = new BertQE(
    { phaseOne: passageModel },
    { passageWords, titleWords, depth: ids.length, passageChoice: 'exhaustive' },
  );
  const evidence = await bertQe.evidence(query.text, candidates, { until: 'bestPassage', signal });
  const passages = evidence.candidates.flatMap(({ id, passage }) =>
    passage ? [{ document: id, passage }] : [],
  );
  return taught(query.text, passages, teacher, signal);
}

/** Passages with the probabilities that a teacher gives them. */
export async function taught<Passage extends Pick<Example, 'passage'>>(
  first: string,
  passages: readonly Passage[],
  teacher: Scorer | undefined,
  signal: AbortSignal | undefined,
): Promise<(Passage & Pick<Example, 'teacher'>)[]> {
  if (!teacher) return [...passages];
  const pairs = passages.map(({ passage }) => ({ a: first, b: passage }));
  const scores = await teacher.score(pairs, { signal });
  return passages.map((passage, i) => ({ ...passage, teacher: scores[i] }));
}

/** A candidate of a query with its judgement. */
export type JudgedCandidate = Pick<Example, 'document' | 'relevant'>;

/** The judgements of a query. */
export type Judgements = ReadonlyMap<string, number> | undefined;

/** From level 1 on a document is relevant; unjudged ones are not. */
export function isRelevant(judged: Judgements, document: string): boolean {
  return (judged?.get(document) ?? 0) >= 1;
}

/** The candidates of a ranking. */
export function judgedCandidates(ranking: Ranking, judged: Judgements, depth: number): JudgedCandidate[] {
  return ranking.slice(0, depth).map(({ id }) => ({ document: id, relevant: isRelevant(judged, id) }));
}

/** The candidates of a query that become examples: all of them, as published, or a sample determined by the seed. */
export function sampleCandidates<Candidate extends Pick<Example, 'relevant'>>(
  query: string,
  all: readonly Candidate[],
  { candidates, negatives, seed }: Pick<TrainingSettings, 'candidates' | 'negatives' | 'seed'>,
): Candidate[] {
  const random = new Random('candidates', seed, query);
  const some = candidates === undefined ? [...all] : random.sample(all, candidates);
  if (negatives === undefined) return some;
  const { relevant, others } = byRelevance(some);
  const kept = new Set(random.sample(others, negatives * Math.max(1, relevant.length)));
  return some.filter((candidate) => candidate.relevant || kept.has(candidate));
}

/** The relevant ones and the others. */
export function byRelevance<One extends Pick<Example, 'relevant'>>(
  all: readonly One[],
): { readonly relevant: One[]; readonly others: One[] } {
  return { relevant: all.filter((one) => one.relevant), others: all.filter((one) => !one.relevant) };
}

export function countQueries(collected: readonly QueryExamples[]): number {
  return new Set(collected.map(({ query }) => query.id)).size;
}

/** Throws where there is no relevant, or no irrelevant example. */
export function requireBothKinds(collected: readonly QueryExamples[], label: string): void {
  const examples = collected.flatMap((one) => one.examples);
  const queries = countQueries(collected);
  if (examples.length === 0) {
    throw inputError(
      `${label}: the run ranks no documents for any of the ${queries} training queries; give the run of these queries.`,
    );
  }
  for (const kind of [true, false]) {
    if (examples.some(({ relevant }) => relevant === kind)) continue;
    const what = kind ? 'relevant' : 'anything but relevant';
    throw inputError(
      `${label}: none of the ${examples.length} candidates of its ${queries} training queries is judged ${what}, ` +
        `so there is nothing to learn; give the judgements of these queries${kind ? ', or a deeper run' : ''}.`,
    );
  }
}
