import type { Scorer } from '../../bert/index.js';
import type { DocumentStore, Qrels, Query, Run } from '../../collection/index.js';
import { throwIfAborted } from '../../common/errors.js';
import { BertQE, type FeedbackMethod } from '../../expansion/index.js';
import { withTexts } from '../../runs/index.js';
import type { TrainingSettings } from '../settings.js';
import { type ExampleJournal, findOnce } from './journal.js';
import {
  isRelevant,
  type Judgements,
  type JudgedCandidate,
  type QueryExamples,
  sampleCandidates,
  taught,
} from './query-examples.js';

/** The evidence of a query after phases one and two, from which phase three starts. */
export interface Feedback {
  /** The chunks of C, best first, with their weights in Eq. 4. */
  readonly chunks: readonly { readonly text: string; readonly weight: number }[];
  /** The candidates, in the order of the initial ranking. */
  readonly documents: readonly PhaseOneDocument[];
}

/** A candidate after phase one. */
export interface PhaseOneDocument {
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

export interface FeedbackInputs {
  readonly documents: DocumentStore;
  readonly bestPassage: Scorer;
  readonly phaseOne: Scorer;
  readonly phaseTwo: Scorer;
  readonly signal?: AbortSignal | undefined;
}

/** Runs phases one and two of each query. Judgements play no part: the chunks are those that ranking would use. */
export async function collectFeedback(
  queries: readonly Query[],
  run: Run,
  method: FeedbackMethod,
  journal: ExampleJournal<Feedback>,
  source: FeedbackInputs,
  onProgress: (done: number, total: number) => void,
): Promise<QueryFeedback[]> {
  const { bestPassage, phaseOne, phaseTwo, signal } = source;
  const bertQe = new BertQE({ bestPassage, phaseOne, phaseTwo }, { ...method, passageChoice: 'exhaustive' });
  const collected: QueryFeedback[] = [];
  for (const query of queries) {
    throwIfAborted(signal);
    const feedback = await findOnce(journal, query.id, () => feedbackOf(query, run, bertQe, source));
    collected.push({ query, feedback });
    onProgress(collected.length, queries.length);
  }
  return collected;
}

async function feedbackOf(
  query: Query,
  run: Run,
  bertQe: BertQE,
  { documents, signal }: FeedbackInputs,
): Promise<Feedback> {
  const ranking = (run.get(query.id) ?? []).slice(0, bertQe.settings.depth);
  if (ranking.length === 0) return { chunks: [], documents: [] };
  const candidates = await withTexts(query, ranking, documents);
  const evidence = await bertQe.evidence(query.text, candidates, { until: 'phaseTwo', signal });
  return {
    chunks: evidence.chunks!.map(({ text, weight }) => ({ text, weight })),
    documents: evidence.candidates.map(({ id, passage, queryScore, initial }) => ({
      document: id,
      passage: passage!,
      queryScore: queryScore!,
      initial: initial!,
    })),
  };
}

/** The documents down to a depth with their judgements, without those that have no words. */
export function judgedDocuments(
  documents: readonly PhaseOneDocument[],
  judged: Judgements,
  depth: number,
): (PhaseOneDocument & JudgedCandidate)[] {
  return documents
    .slice(0, depth)
    .filter(({ passage }) => passage !== '')
    .map((one) => ({ ...one, relevant: isRelevant(judged, one.document) }));
}

/**
 * The examples of phase three: every chunk with the best passages of its query's candidates, labelled by the judgements
 * of the query. Each chunk has its own sample of candidates. Documents without words are left out.
 */
export async function chunkExamples(
  collected: readonly QueryFeedback[],
  qrels: Qrels,
  settings: TrainingSettings,
  teacher?: Scorer,
  signal?: AbortSignal,
): Promise<QueryExamples[]> {
  const found: QueryExamples[] = [];
  for (const { query, feedback } of collected) {
    const judged = judgedDocuments(feedback.documents, qrels.get(query.id), settings.depth);
    for (const [place, { text: chunk }] of feedback.chunks.entries()) {
      const some = sampleCandidates(`${query.id} ${place}`, judged, settings);
      found.push({ query, chunk, examples: await taught(chunk, some, teacher, signal) });
    }
  }
  return found;
}
