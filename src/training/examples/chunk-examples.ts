import type { Scorer } from '../../bert/index.js';
import type { Qrels } from '../../collection/index.js';
import type { TrainingSettings } from '../settings.js';
import { judgedCandidates, sampleCandidates } from './candidates.js';
import type { QueryFeedback } from './feedback.js';
import type { QueryExamples } from './query-examples.js';

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
  const groups = collected.flatMap(({ query, feedback: { chunks, documents } }) => {
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
    const scores = await teacher.score(pairs, { signal });
    taught.push({ ...group, examples: examples.map((one, i) => ({ ...one, teacher: scores[i] })) });
  }
  return taught;
}
