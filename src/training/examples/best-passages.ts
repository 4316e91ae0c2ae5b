import type { Scorer } from '../../bert/index.js';
import type { DocumentStore, Query } from '../../collection/index.js';
import { BertQE } from '../../expansion/index.js';
import type { TrainingSettings } from '../settings.js';
import { documentsOf } from '../../runs/index.js';

/** A candidate's best passage and, with a teacher, the teacher's probability. */
export interface BestPassage {
  readonly document: string;
  readonly passage: string;
  readonly teacher?: number;
}

/** The documents and models that best passages come from. */
export interface PassageSource {
  readonly documents: DocumentStore;
  /** The model that chooses the best passages. */
  readonly passageModel: Scorer;
  /** A model that scores them, for distillation. */
  readonly teacher?: Scorer | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Each document's best passage for the query, as phase one reads it; documents without words are left out. */
export async function bestPassages(
  query: Query,
  ids: readonly string[],
  { documents, passageModel, teacher, signal }: PassageSource,
  { passageWords, titleWords }: Pick<TrainingSettings, 'passageWords' | 'titleWords'>,
): Promise<BestPassage[]> {
  if (ids.length === 0) return [];
  const candidates = await documentsOf(query, ids, documents);
  const bertQe = new BertQE({ phaseOne: passageModel }, { passageWords, titleWords, depth: ids.length });
  const evidence = await bertQe.evidence(query.text, candidates, { until: 'bestPassage', signal });
  const passages = evidence.candidates.flatMap(({ id, passage }) =>
    passage ? [{ document: id, passage }] : [],
  );
  if (!teacher) return passages;
  const scores = await teacher.score(
    passages.map(({ passage }) => ({ a: query.text, b: passage })),
    { signal },
  );
  return passages.map((passage, i) => ({ ...passage, teacher: scores[i] }));
}
