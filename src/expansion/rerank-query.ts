import { chooseBestPassages } from './best-passage.js';
import type { Candidate } from './candidate.js';
import { FinalScore } from './final-score.js';
import type { Settings } from './options.js';
import { rankByQueryScore, scoreDocuments } from './phase-one.js';
import { remainingChunks, scoreWithChunks } from './phase-three.js';
import { selectChunks, type ExpansionChunk } from './phase-two.js';
import type { QueryScoring } from './scoring.js';
import { settleFirst } from './settle.js';

/** What is wanted of one query. */
export interface QueryRequest {
  readonly query: string;
  readonly candidates: readonly Candidate[];
  /** How many first places must be exact; without it, every document gets every score. */
  readonly exactPlaces?: number;
  /** Scores every document in phase one, even where the first places do not depend on it. */
  readonly wholePhaseOne?: boolean;
}

/** What the phases found; the candidates carry their scores themselves. */
export interface QueryOutcome {
  /** Phase one's ranking; absent where it was not needed as a whole, or not reached in time. */
  readonly phaseOne: readonly Candidate[] | undefined;
  readonly chunks: readonly ExpansionChunk[];
  readonly final: FinalScore;
  /** False when the deadline came first. */
  readonly complete: boolean;
}

/** The three phases (section 2 of the paper) for one query. */
export async function rerankQuery(
  request: QueryRequest,
  settings: Settings,
  scoring: QueryScoring,
): Promise<QueryOutcome> {
  const { query, candidates, exactPlaces } = request;
  const { expansion, chunkSource } = settings;
  const feedbackIsRanked = expansion && chunkSource !== 'initial';

  let phaseOne: readonly Candidate[] | undefined;
  // The top kd of phase one are known only when all documents are scored.
  if (feedbackIsRanked || request.wholePhaseOne || exactPlaces === undefined) {
    await scoreDocuments(query, candidates, scoring);
    const done = candidates.every(({ queryScore }) => queryScore !== undefined);
    phaseOne = done ? rankByQueryScore(candidates) : undefined;
  }

  let chunks: readonly ExpansionChunk[] | undefined = [];
  if (expansion) {
    const feedback = (feedbackIsRanked ? phaseOne : candidates)?.slice(0, settings.kd);
    chunks = feedback && (await distil(query, feedback, settings, scoring));
    if (!chunks) return { phaseOne, chunks: [], final: new FinalScore(settings), complete: false };
  }

  const final = new FinalScore(
    settings,
    chunks.map(({ weight }) => weight),
  );
  for (const candidate of candidates) candidate.expectChunks(chunks.length);
  if (exactPlaces !== undefined) {
    const input = { query, candidates, chunks, final, roundPairs: settings.roundPairs };
    return { phaseOne, chunks, final, complete: await settleFirst(exactPlaces, input, scoring) };
  }
  const everything = candidates.map((candidate) => ({ candidate, chunks: remainingChunks(candidate) }));
  await scoreWithChunks(everything, chunks, scoring);
  return { phaseOne, chunks, final, complete: true };
}

/** Phase two; undefined when the deadline came first. */
async function distil(
  query: string,
  feedback: readonly Candidate[],
  settings: Settings,
  scoring: QueryScoring,
): Promise<readonly ExpansionChunk[] | undefined> {
  await chooseBestPassages(query, feedback, scoring);
  if (feedback.some(({ passage }) => passage === undefined)) return undefined;
  return selectChunks(query, feedback, settings, scoring);
}
