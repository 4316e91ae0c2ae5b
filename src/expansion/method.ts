import type { TextPair } from '../bert/index.js';
import { mapInSlices } from '../common/yield.js';
import {
  chooseBestPassages,
  documentPairs,
  hasNoPassage,
  isShortlisted,
  onePair,
  passagePairs,
  reviseLeading,
  revisesLeading,
  shortlist,
} from './best-passages.js';
import type { Candidate, Chunk, Evidence, ScoredChunk } from './evidence.js';
import { FinalScores, queryColumn } from './final-scores.js';
import type { QueryModels } from './models.js';
import type { Settings } from './options.js';
import { wholeText } from './passages.js';
import type { Phase } from './phases.js';
import { rankedUnexpanded } from './ranking.js';
import type { Cells, Schedule } from './schedule/index.js';
import { windowSpans, wordsOf } from './windows.js';

/** Options of {@link gatherEvidence}. */
export interface GatherOptions {
  /** The last phase to run (`phaseThree`). */
  readonly until?: Phase | undefined;
  /** Scores every document in phase one, even where the wanted places do not depend on it (false). */
  readonly rankPhaseOne?: boolean | undefined;
}

/**
 * BERT-QE for one query: the phases of section 2 of the paper, which follow below in its order. The models' answers go
 * into the evidence, from which Eq. 4 and Eq. 5 (equations.ts) make the final scores. The schedule decides which answers
 * are asked for; α and β matter only to a schedule that leaves some out.
 *
 * @returns False where the schedule ran out of time.
 */
export async function gatherEvidence(
  evidence: Evidence,
  settings: Settings,
  models: QueryModels,
  schedule: Schedule,
  { until = 'phaseThree', rankPhaseOne = false }: GatherOptions = {},
): Promise<boolean> {
  const { expansion, chunkSource, expansionDepth = Infinity } = settings;
  const query: Query = { evidence, settings, models, schedule };
  evidence.mayRise = revisesLeading(settings, models);
  if (!expansion) evidence.expandWith([]);

  // A query that is not expanded has no phase two.
  const last = until === 'phaseTwo' && !expansion ? 'phaseOne' : until;
  if (last === 'bestPassage') return bestPassages(query, evidence.candidates);

  if (isShortlisted(evidence, settings) && !(await shortlist(evidence, settings, models, schedule))) {
    return false;
  }

  // Phase one is run where a ranking by rel(q,d) decides something. Phase three asks for each rel(q,d) that is missing.
  const ranksFeedback = evidence.mayRise || (expansion && chunkSource !== 'initial');
  const isCut = expansion && expansionDepth < evidence.candidates.length;
  const isRanked = last === 'phaseOne' || rankPhaseOne || ranksFeedback || isCut;
  if (isRanked && !(await phaseOne(query))) return false;
  if (last === 'phaseOne') return true;

  if (isCut) evidence.expanded = rankedUnexpanded(evidence.candidates, settings).slice(0, expansionDepth);
  if (expansion && !(await phaseTwo(query))) return false;
  return last === 'phaseTwo' || phaseThree(query);
}

/** What the phases of one query share. */
interface Query {
  readonly evidence: Evidence;
  readonly settings: Settings;
  readonly models: QueryModels;
  readonly schedule: Schedule;
}

/** Before phase one: a document is represented by its best passage. */
function bestPassages({ evidence, models, schedule }: Query, some: readonly Candidate[]): Promise<boolean> {
  return schedule.all('passages', some, passagePairs, (documents) =>
    chooseBestPassages(evidence, documents, models),
  );
}

/** Section 2.1, phase one: the documents are ranked by rel(q,d). */
async function phaseOne({ evidence, settings, models, schedule }: Query): Promise<boolean> {
  const isRanked = await schedule.all('documents', evidence.candidates, documentPairs, (documents) =>
    scoreAgainstQuery(evidence, documents, models),
  );
  return isRanked && (!evidence.mayRise || reviseLeading(evidence, settings, models, schedule));
}

/** Eq. 2: rel(q,d), the probability that the best passage of d is relevant to q. */
async function scoreAgainstQuery(
  evidence: Evidence,
  candidates: readonly Candidate[],
  models: QueryModels,
): Promise<void> {
  await chooseBestPassages(evidence, candidates, models);
  const open = candidates.filter(({ queryScore }) => queryScore === undefined);
  const pairs = open.map(({ passage }) => ({ a: evidence.query, b: passage! }));
  const scores = await models.score('phaseOne', pairs);
  open.forEach((candidate, i) => (candidate.queryScore = scores[i]));
}

/** Section 2.2, phase two: the best kc chunks of the best kd documents expand the query. */
async function phaseTwo(query: Query): Promise<boolean> {
  const { evidence, settings, models, schedule } = query;
  const ranking = settings.chunkSource === 'initial' ? evidence.candidates : evidence.rankedByQuery()!;
  const feedback = ranking.slice(0, settings.kd);
  if (!(await bestPassages(query, feedback.filter(hasNoPassage)))) return false;

  const chunks = await mapInSlices(feedback, models.signal, (document) => chunksOf(document, settings));
  const scored: ScoredChunk[] = [];
  const areScored = await schedule.all('chunks', chunks.flat(), onePair, async (some) => {
    for (const chunk of await scoreChunks(evidence.query, some, settings, models)) scored.push(chunk);
  });
  if (areScored) evidence.expandWith(bestOf(scored, settings.kc));
  return areScored;
}

/** The chunks of a document: windows of m words over its best passage, title included, or over all of its text. */
function chunksOf(source: Candidate, { chunk, chunkSource, passage }: Settings): Chunk[] {
  const text = chunkSource === 'document' ? wholeText(source.document, passage) : source.passage!;
  const words = wordsOf(text);
  return windowSpans(words.length, chunk).map(({ start, end }) => ({
    text: words.slice(start, end).join(' '),
    source,
    start,
  }));
}

/** Eq. 3: rel(q,c), the probability that the chunk c is relevant to q. */
async function scoreChunks(
  query: string,
  chunks: readonly Chunk[],
  { chunkPieces }: Settings,
  models: QueryModels,
): Promise<ScoredChunk[]> {
  const pairs = await mapInSlices(chunks, models.signal, ({ text }) => ({ a: query, b: text }));
  const limits = chunkPieces === undefined ? {} : { secondPieces: chunkPieces };
  const scores = await models.score('phaseTwo', pairs, limits);
  return mapInSlices(chunks, models.signal, (chunk, i) => ({ ...chunk, score: scores[i] }));
}

/** The kc best chunks, best first; equal ones in the order of the feedback documents and of their text. */
function bestOf(chunks: readonly ScoredChunk[], kc: number): ScoredChunk[] {
  return [...chunks].sort((a, b) => b.score - a.score).slice(0, kc);
}

/**
 * Section 2.3, phase three: every document, or only the first ones, are scored against the chunks. Eq. 4 and Eq. 5 tell
 * which scores matter.
 */
function phaseThree({ evidence, settings, models, schedule }: Query): Promise<boolean> {
  return schedule.cells(new FinalScores(evidence, settings), async (cells) => {
    const unread = cells.filter(({ columns }) => columns[0] === queryColumn).map(({ row }) => row);
    await scoreAgainstQuery(evidence, unread, models);
    await scoreAgainstChunks(evidence, cells, models);
  });
}

/** rel(c,d) of Eq. 4: the chunk c takes the place of the query. */
async function scoreAgainstChunks(
  { chunks }: Evidence,
  cells: readonly Cells<Candidate>[],
  models: QueryModels,
): Promise<void> {
  const { signal } = models;
  const pairs: TextPair[] = [];
  await mapInSlices(cells, signal, ({ row, columns }) => {
    for (const column of columns) {
      if (column !== queryColumn) pairs.push({ a: chunks![column - 1].text, b: row.passage! });
    }
  });
  const scores = await models.score('phaseThree', pairs);
  let at = 0;
  await mapInSlices(cells, signal, ({ row, columns }) => {
    for (const column of columns) if (column !== queryColumn) row.chunkScores[column - 1] = scores[at++];
  });
}
