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
  type QueryRun,
} from './best-passages.js';
import type { Candidate, Chunk, ScoredChunk } from './evidence.js';
import { FinalScores, queryColumn } from './final-scores.js';
import type { Settings } from './options.js';
import { wholeText } from './passages.js';
import type { Phase } from './phases.js';
import { rankedUnexpanded } from './ranking.js';
import type { Cells } from './schedule/schedule.js';
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
  run: QueryRun,
  { until = 'phaseThree', rankPhaseOne = false }: GatherOptions = {},
): Promise<boolean> {
  const { evidence, settings } = run;
  const { expansion, chunkSource, expansionDepth = Infinity } = settings;
  evidence.mayRise = revisesLeading(run);
  if (!expansion) evidence.expandWith([]);

  // A query that is not expanded has no phase two.
  const last = until === 'phaseTwo' && !expansion ? 'phaseOne' : until;
  if (last === 'bestPassage') return bestPassages(run, evidence.candidates);

  if (isShortlisted(run) && !(await shortlist(run))) return false;

  // Phase one is run where a ranking by rel(q,d) decides something. Phase three asks for each rel(q,d) that is missing.
  const ranksFeedback = evidence.mayRise || (expansion && chunkSource !== 'initial');
  const isCut = expansion && expansionDepth < evidence.candidates.length;
  const isRanked = last === 'phaseOne' || rankPhaseOne || ranksFeedback || isCut;
  if (isRanked && !(await phaseOne(run))) return false;
  if (last === 'phaseOne') return true;

  if (isCut) evidence.expanded = rankedUnexpanded(evidence.candidates, settings).slice(0, expansionDepth);
  if (expansion && !(await phaseTwo(run))) return false;
  return last === 'phaseTwo' || phaseThree(run);
}

/** Before phase one: a document is represented by its best passage. */
function bestPassages(run: QueryRun, some: readonly Candidate[]): Promise<boolean> {
  return run.schedule.all('passages', some, passagePairs, (documents) => chooseBestPassages(run, documents));
}

/** Section 2.1, phase one: the documents are ranked by rel(q,d). */
async function phaseOne(run: QueryRun): Promise<boolean> {
  const { evidence, schedule } = run;
  const isRanked = await schedule.all('documents', evidence.candidates, documentPairs, (documents) =>
    scoreAgainstQuery(run, documents),
  );
  return isRanked && (!evidence.mayRise || reviseLeading(run));
}

/** Eq. 2: rel(q,d), the probability that the best passage of d is relevant to q. */
async function scoreAgainstQuery(run: QueryRun, candidates: readonly Candidate[]): Promise<void> {
  await chooseBestPassages(run, candidates);
  const open = candidates.filter(({ queryScore }) => queryScore === undefined);
  const passages = open.map(({ passage }) => passage!);
  const scores = await run.models.relevance('phaseOne', run.evidence.query, passages);
  open.forEach((candidate, i) => (candidate.queryScore = scores[i]));
}

/** Section 2.2, phase two: the best kc chunks of the best kd documents expand the query. */
async function phaseTwo(run: QueryRun): Promise<boolean> {
  const { evidence, settings, models, schedule } = run;
  const ranking = settings.chunkSource === 'initial' ? evidence.candidates : evidence.rankedByQuery()!;
  const feedback = ranking.slice(0, settings.kd);
  if (!(await bestPassages(run, feedback.filter(hasNoPassage)))) return false;

  const chunks = await mapInSlices(feedback, models.signal, (document) => chunksOf(document, settings));
  const scored: ScoredChunk[] = [];
  const areScored = await schedule.all('chunks', chunks.flat(), onePair, async (some) => {
    for (const chunk of await scoreChunks(run, some)) scored.push(chunk);
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
  { evidence, settings: { chunkPieces }, models }: QueryRun,
  chunks: readonly Chunk[],
): Promise<ScoredChunk[]> {
  const texts = chunks.map(({ text }) => text);
  const limits = chunkPieces === undefined ? {} : { secondPieces: chunkPieces };
  const scores = await models.relevance('phaseTwo', evidence.query, texts, limits);
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
function phaseThree(run: QueryRun): Promise<boolean> {
  const { evidence, settings, schedule } = run;
  return schedule.cells(new FinalScores(evidence, settings), async (cells) => {
    const unread = cells.filter(({ columns }) => columns[0] === queryColumn).map(({ row }) => row);
    await scoreAgainstQuery(run, unread);
    await scoreAgainstChunks(run, cells);
  });
}

/** rel(c,d) of Eq. 4: the chunk c takes the place of the query. */
async function scoreAgainstChunks(
  { evidence: { chunks }, models }: QueryRun,
  cells: readonly Cells<Candidate>[],
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
