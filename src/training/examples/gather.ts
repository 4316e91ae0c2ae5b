import type { Qrels, Query, Run } from '../../collection/index.js';
import { BertQeError, throwIfAborted } from '../../common/errors.js';
import type { TrainingSettings } from '../settings.js';
import { bestPassages, type Passage, type PassageSource } from './best-passages.js';
import { judgedCandidates, sampleCandidates } from './candidates.js';
import type { FoundJournal } from './journal.js';

/** A passage that is relevant to the query or not. */
export interface Example {
  readonly document: string;
  readonly passage: string;
  readonly relevant: boolean;
  /** A teacher's probability that it is. */
  readonly teacher?: number;
}

/** What a query, or a chunk that stands in its place, is set against. */
export interface QueryExamples {
  readonly query: Query;
  /** The first text of the pairs where it is not the query itself: phase three's. */
  readonly chunk?: string;
  readonly examples: readonly Example[];
}

/** The queries to take candidates of, and how. */
export interface Gathering {
  /** Tells these queries from others in the journal. */
  readonly purpose: 'training' | 'validation';
  readonly queries: readonly Query[];
  readonly run: Run;
  readonly qrels: Qrels;
}

/** The examples of each query: its candidates, or a sample of them for training, by their best passages. */
export async function gather(
  { purpose, queries, run, qrels }: Gathering,
  settings: TrainingSettings,
  journal: FoundJournal<readonly Passage[]>,
  source: PassageSource,
  onProgress: (done: number, total: number) => void,
): Promise<QueryExamples[]> {
  const gathered: QueryExamples[] = [];
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
    gathered.push({
      query,
      examples: passages.map((passage) => ({ ...passage, relevant: relevant.has(passage.document) })),
    });
    onProgress(gathered.length, queries.length);
  }
  return gathered;
}

/** Queries, each counted once however many chunks stand for it. */
export function queriesIn(gathered: readonly QueryExamples[]): number {
  return new Set(gathered.map(({ query }) => query.id)).size;
}

/** Without a relevant and an irrelevant example there is nothing to learn. */
export function requireBothKinds(gathered: readonly QueryExamples[], label: string): void {
  const examples = gathered.flatMap((one) => one.examples);
  const queries = queriesIn(gathered);
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
