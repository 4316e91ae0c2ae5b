import type { Scorer } from '../../bert/index.js';
import type { DocumentStore, Query } from '../../collection/index.js';
import { BertQE } from '../../expansion/index.js';
import type { TrainingSettings } from '../settings.js';
import { documentsOf } from './documents.js';

/** A candidate's best passage and, with a teacher, the teacher's probability. */
export interface Passage {
  readonly document: string;
  readonly passage: string;
  readonly teacher?: number;
}

/** Loads a model when the first score is wanted: documents of one passage each want none. */
export class LazyScorer implements Scorer {
  #opened: Promise<Scorer> | undefined;

  constructor(private readonly open: () => Promise<Scorer>) {}

  async score(...[pairs, options]: Parameters<Scorer['score']>): Promise<Float32Array> {
    if (pairs.length === 0) return new Float32Array(0);
    this.#opened ??= this.open();
    return (await this.#opened).score(pairs, options);
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.close();
  }
}

export interface PassageSource {
  readonly documents: DocumentStore;
  /** Chooses the best passages. */
  readonly general: Scorer;
  /** Scores them, for distillation. */
  readonly teacher?: Scorer;
  readonly signal?: AbortSignal;
}

/** Each document's best passage for the query, as phase one sees it; documents without words are left out. */
export async function bestPassages(
  query: Query,
  ids: readonly string[],
  { documents, general, teacher, signal }: PassageSource,
  { passageWords, titleWords }: Pick<TrainingSettings, 'passageWords' | 'titleWords'>,
): Promise<Passage[]> {
  if (ids.length === 0) return [];
  const candidates = await documentsOf(query, ids, documents);
  const bertQe = new BertQE({ phaseOne: general }, { passageWords, titleWords, depth: ids.length });
  const stop = signal ? { signal } : {};
  const evidence = await bertQe.evidence(query.text, candidates, { until: 'bestPassage', ...stop });
  const passages = evidence.candidates.flatMap(({ id, passage }) =>
    passage ? [{ document: id, passage }] : [],
  );
  if (!teacher) return passages;
  const scores = await teacher.score(
    passages.map(({ passage }) => ({ a: query.text, b: passage })),
    stop,
  );
  return passages.map((passage, i) => ({ ...passage, teacher: scores[i] }));
}
