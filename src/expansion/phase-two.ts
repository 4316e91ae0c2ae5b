import type { Candidate } from './candidate.js';
import type { Settings } from './options.js';
import { wholeText } from './passages.js';
import type { QueryScoring } from './scoring.js';
import { softmax } from './softmax.js';
import { windowSpans, wordsOf } from './windows.js';

/** A piece of a feedback document that stands beside the query in phase three. */
export interface Chunk {
  readonly text: string;
  /** The feedback document it was cut from. */
  readonly source: Candidate;
  /** Its first word, counted from 0 in the text it was cut from. */
  readonly start: number;
}

/** A chunk that phase two selected. */
export interface ExpansionChunk extends Chunk {
  /** Eq. 3: rel(q,c). */
  readonly score: number;
  /** Its share in Eq. 4: the softmax of rel(q,c) over the selected chunks. */
  readonly weight: number;
}

/**
 * Section 2.2: cuts the feedback documents into chunks, scores each against the query (Eq. 3) and keeps the best
 * kc, best first; equal ones in the order of the feedback documents and of the text. Undefined when the deadline
 * passed before all were scored: the best kc are then not known.
 */
export async function selectChunks(
  query: string,
  feedback: readonly Candidate[],
  settings: Settings,
  scoring: QueryScoring,
): Promise<ExpansionChunk[] | undefined> {
  const chunks = feedback.flatMap((document) => chunksOf(document, settings));
  const scored: (Chunk & { readonly score: number })[] = [];
  for (const round of scoring.rounds('phaseTwo', chunks, () => 1)) {
    const scores = await scoring.score(
      'phaseTwo',
      round.map(({ text }) => ({ a: query, b: text })),
    );
    round.forEach((chunk, i) => scored.push({ ...chunk, score: scores[i] }));
  }
  if (scored.length < chunks.length) return undefined;
  const selected = scored.sort((a, b) => b.score - a.score).slice(0, settings.kc);
  const weights = softmax(selected.map(({ score }) => score));
  return selected.map((chunk, i) => ({ ...chunk, weight: weights[i] }));
}

/** The windows of m words over a document's best passage (title included) or over all of its text. */
function chunksOf(source: Candidate, { chunk, chunkSource, passage }: Settings): Chunk[] {
  const text = chunkSource === 'document' ? wholeText(source.document, passage) : source.passage!;
  const words = wordsOf(text);
  return windowSpans(words.length, chunk).map(({ start, end }) => ({
    text: words.slice(start, end).join(' '),
    source,
    start,
  }));
}
