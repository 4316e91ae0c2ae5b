import type { Qrels, Query, Run } from '../../collection/index.js';
import { BertQeError, throwIfAborted } from '../../common/errors.js';
import type { TrainingSettings } from '../settings.js';
import { bestPassages, type BestPassage, type PassageSource } from './best-passages.js';
import { judgedCandidates, sampleCandidates } from './candidates.js';
import type { ExampleJournal } from './journal.js';

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

/** Queries with their candidates and judgements. */
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
    let passages = (await journal.get(key))?.found;
    if (passages === undefined) {
      const ids = chosen.map(({ document }) => document);
      passages = await bestPassages(query, ids, source, settings);
      await journal.append({ query: key, found: passages });
    }
    const relevant = new Set(chosen.filter((one) => one.relevant).map(({ document }) => document));
    collected.push({
      query,
      examples: passages.map((passage) => ({ ...passage, relevant: relevant.has(passage.document) })),
    });
    onProgress(collected.length, queries.length);
  }
  return collected;
}

/** The number of different queries. */
export function countQueries(collected: readonly QueryExamples[]): number {
  return new Set(collected.map(({ query }) => query.id)).size;
}

/** Throws where there is no relevant, or no irrelevant example. */
export function requireBothKinds(collected: readonly QueryExamples[], label: string): void {
  const examples = collected.flatMap((one) => one.examples);
  const queries = countQueries(collected);
  if (examples.length === 0) {
    throw new BertQeError(
      'input',
      `${label}: the run ranks no documents for any of the ${queries} training queries; give the run of these queries.`,
    );
  }
  for (const kind of [true, false]) {
    if (examples.some(({ relevant }) => relevant === kind)) continue;
    const what = kind ? 'relevant' : 'anything but relevant';
    throw new BertQeError(
      'input',
      `${label}: none of the ${examples.length} candidates of its ${queries} training queries is judged ${what}, ` +
        `so there is nothing to learn; give the judgements of these queries${kind ? ', or a deeper run' : ''}.`,
    );
  }
}
