import type { Scorer } from '../../bert/index.js';
import type { DocumentStore, Query, Run } from '../../collection/index.js';
import { throwIfAborted } from '../../common/errors.js';
import { BertQE, type FeedbackMethod } from '../../expansion/index.js';
import { unasked } from './best-passages.js';
import { documentsOf } from './documents.js';
import type { Journal } from './journal.js';

/** A query after phases one and two: all that phase three starts from. */
export interface Feedback {
  /** Those that phase two chose, best first, with their shares in Eq. 4. */
  readonly chunks: readonly { readonly text: string; readonly weight: number }[];
  /** The candidates, in the order of the initial ranking. */
  readonly documents: readonly FeedbackDocument[];
}

export interface FeedbackDocument {
  readonly document: string;
  /** The best passage; empty where the document has no words. */
  readonly passage: string;
  /** rel(q,d). */
  readonly queryScore: number;
  /** I(q,d). */
  readonly initial: number;
}

export interface QueryFeedback {
  readonly query: Query;
  readonly feedback: Feedback;
}

/** The models of phases one and two, and what they read. */
export interface FeedbackSource {
  readonly documents: DocumentStore;
  readonly bestPassage: Scorer;
  readonly phaseOne: Scorer;
  readonly phaseTwo: Scorer;
  readonly signal?: AbortSignal;
}

/** Phases one and two of each query. No judgement is looked at: the chunks are those that ranking would use. */
export async function gatherFeedback(
  queries: readonly Query[],
  run: Run,
  method: FeedbackMethod,
  journal: Journal<Feedback>,
  source: FeedbackSource,
  onProgress: (done: number, total: number) => void,
): Promise<QueryFeedback[]> {
  const { bestPassage, phaseOne, phaseTwo, signal } = source;
  const bertQe = new BertQE({ bestPassage, phaseOne, phaseTwo, phaseThree: unasked }, method);
  const gathered: QueryFeedback[] = [];
  for (const query of queries) {
    throwIfAborted(signal);
    let feedback = journal.get(query.id);
    if (feedback === undefined) {
      feedback = await feedbackOf(query, run, bertQe, source);
      await journal.add(query.id, feedback);
    }
    gathered.push({ query, feedback });
    onProgress(gathered.length, queries.length);
  }
  return gathered;
}

async function feedbackOf(
  query: Query,
  run: Run,
  bertQe: BertQE,
  { documents, signal }: FeedbackSource,
): Promise<Feedback> {
  const ranking = (run.get(query.id) ?? []).slice(0, bertQe.settings.depth);
  if (ranking.length === 0) return { chunks: [], documents: [] };
  const ids = ranking.map(({ id }) => id);
  const found = await documentsOf(query, ids, documents);
  const candidates = found.map((document, i) => ({ ...document, score: ranking[i].score }));
  const { explanation } = await bertQe.rerank(query.text, candidates, {
    explain: true,
    ...(signal ? { signal } : {}),
  });
  const ordered = explanation!.documents.toSorted((a, b) => a.ranks.initial - b.ranks.initial);
  return {
    chunks: explanation!.chunks.map(({ text, weight }) => ({ text, weight })),
    documents: ordered.map(({ id, passage, queryScore, initial }) => ({
      document: id,
      passage: passage!,
      queryScore: queryScore!,
      initial: initial!,
    })),
  };
}
