import type { Scorer } from '../../bert/index.js';
import type { Qrels } from '../../collection/index.js';
import type { TrainingSettings } from '../settings.js';
import { judgedCandidates, sampleCandidates } from './candidates.js';
import type { QueryFeedback } from './feedback.js';
import type { QueryExamples } from './gather.js';

/**
 * What phase three learns from: every chunk against candidates of its query by their best passages, labelled by what the
 * query's judgements say of the document. Each chunk gets a sample of its own; documents without words are left out.
 */
export async function chunkExamples(
  gathered: readonly QueryFeedback[],
  qrels: Qrels,
  settings: TrainingSettings,
  teacher?: Scorer,
  signal?: AbortSignal,
): Promise<QueryExamples[]> {
  const groups = gathered.flatMap(({ query, feedback: { chunks, documents } }) => {
    const passages = new Map(documents.map(({ document, passage }) => [document, passage]));
    const ranking = documents.map(({ document, initial }) => ({ id: document, score: initial }));
    const judged = judgedCandidates(ranking, qrels.get(query.id), settings.depth).filter(
      ({ document }) => passages.get(document) !== '',
    );
    return chunks.map(({ text }, place) => ({
      query,
      chunk: text,
      examples: sampleCandidates(`${query.id} ${place}`, judged, settings).map((candidate) => ({
        ...candidate,
        passage: passages.get(candidate.document)!,
      })),
    }));
  });
  if (!teacher) return groups;
  const taught: QueryExamples[] = [];
  for (const { examples, ...group } of groups) {
    const pairs = examples.map(({ passage }) => ({ a: group.chunk, b: passage }));
    const scores = await teacher.score(pairs, signal ? { signal } : {});
    taught.push({ ...group, examples: examples.map((one, i) => ({ ...one, teacher: scores[i] })) });
  }
  return taught;
}
