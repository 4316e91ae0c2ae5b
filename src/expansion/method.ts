import type { TextPair } from '../bert/index.js';
import { mapInSlices } from '../common/yield.js';
import type { Candidate, Chunk, Evidence, ScoredChunk } from './evidence.js';
import { FinalScores, queryColumn } from './final-scores.js';
import type { QueryModels } from './models.js';
import type { Settings } from './options.js';
import { wholeText } from './passages.js';
import type { Phase } from './phases.js';
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
 * BERT-QE for one query, in the order of section 2 of the paper. The models' answers go into the evidence. The schedule
 * decides which scores are computed; α and β matter only to a schedule that leaves some out.
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
  const { candidates } = evidence;
  const choosePassages = counting(models, (some: readonly Candidate[]) =>
    chooseBestPassages(evidence, some, models),
  );
  const scoreDocuments = counting(models, (some: readonly Candidate[]) =>
    scoreAgainstQuery(evidence, some, models),
  );
  const compareWindows = counting(models, (some: readonly Candidate[]) =>
    compareAllWindows(evidence, some, models),
  );
  if (until === 'bestPassage') return schedule.all('passages', candidates, passagePairs, choosePassages);

  // Section 2.1, phase one: the documents are ranked by rel(q,d).
  const { expansion } = settings;
  // Passages that a smaller model chose are looked at again where their documents lead.
  const looksAgain = settings.passageChoice === 'cascade' && !models.isSame('bestPassage', 'phaseOne');
  const usesPhaseOne = looksAgain || (expansion && settings.chunkSource !== 'initial');
  evidence.mayRise = looksAgain;
  const endsHere = until === 'phaseOne' || (until === 'phaseTwo' && !expansion);
  if (usesPhaseOne || rankPhaseOne || endsHere) {
    let isRanked = await schedule.all('documents', candidates, documentPairs, scoreDocuments);
    if (looksAgain && isRanked) {
      const leading = evidence.lead(settings.kd);
      isRanked = await schedule.all('windows', leading, ({ windows }) => windows.length, compareWindows);
      evidence.mayRise = !isRanked;
    }
    if (endsHere || (usesPhaseOne && !isRanked)) return isRanked;
  }

  // Section 2.2, phase two: the best kc chunks of the best kd documents expand the query.
  if (expansion) {
    const feedback = (settings.chunkSource === 'initial' ? candidates : evidence.rankedByQuery()!).slice(
      0,
      settings.kd,
    );
    const open = feedback.filter(hasNoPassage);
    if (!(await schedule.all('passages', open, passagePairs, choosePassages))) return false;
    const chunks = (
      await mapInSlices(feedback, models.signal, (document) => chunksOf(document, settings))
    ).flat();
    const scored: ScoredChunk[] = [];
    const scoreChunks = counting(models, async (some: readonly Chunk[]) => {
      for (const chunk of await scoreAgainst(evidence.query, some, settings, models)) scored.push(chunk);
    });
    if (!(await schedule.all('chunks', chunks, () => 1, scoreChunks))) return false;
    evidence.expandWith(bestOf(scored, settings.kc));
    if (until === 'phaseTwo') return true;
  } else {
    evidence.expandWith([]);
  }

  // Section 2.3, phase three: every document is scored against the query and the chunks.
  const scoreCells = counting(models, async (cells: readonly Cells<Candidate>[]) => {
    const unread = cells.filter(({ columns }) => columns[0] === queryColumn).map(({ row }) => row);
    await scoreAgainstQuery(evidence, unread, models);
    await scoreAgainstChunks(evidence, cells, models);
  });
  return schedule.cells(new FinalScores(evidence, settings), scoreCells);
}

/** Makes a step return the pairs that it puts to the models. */
function counting<Item>(
  models: QueryModels,
  step: (items: readonly Item[]) => Promise<void>,
): (items: readonly Item[]) => Promise<number> {
  return async (items) => {
    const before = models.pairs;
    await step(items);
    return models.pairs - before;
  };
}

/** Chooses the passage that stands for each document: the most relevant to the query, the first among equals. */
async function chooseBestPassages(
  { query }: Evidence,
  candidates: readonly Candidate[],
  models: QueryModels,
): Promise<void> {
  const open = candidates.filter(hasNoPassage);
  const pairs = open.flatMap(({ passages }) => passages.map((passage) => ({ a: query, b: passage })));
  const scores = await models.score('bestPassage', pairs);
  let from = 0;
  for (const candidate of open) {
    const { passages } = candidate;
    candidate.passage = passages[indexOfMax(scores.subarray(from, (from += passages.length)))];
  }
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

/** Has the model of phase one choose the best passage, and so rel(q,d), among all windows. */
async function compareAllWindows(
  { query }: Evidence,
  candidates: readonly Candidate[],
  models: QueryModels,
): Promise<void> {
  const pairs = candidates.flatMap(({ windows }) => windows.map((window) => ({ a: query, b: window })));
  const scores = await models.score('phaseOne', pairs);
  let from = 0;
  for (const candidate of candidates) {
    const { windows } = candidate;
    const own = scores.subarray(from, (from += windows.length));
    const best = indexOfMax(own);
    candidate.passage = windows[best];
    candidate.queryScore = own[best];
  }
}

/** The windows of m words over a document's best passage, title included, or over all of its text. */
function chunksOf(source: Candidate, { chunk, chunkSource, passage }: Settings): Chunk[] {
  const text = chunkSource === 'document' ? wholeText(source.document, passage) : source.passage!;
  const words = wordsOf(text);
  return windowSpans(words.length, chunk).map(({ start, end }) => ({
    text: words.slice(start, end).join(' '),
    source,
    start,
  }));
}

/** Eq. 3: rel(q,c), the probability that a chunk is relevant to the query. */
async function scoreAgainst(
  query: string,
  chunks: readonly Chunk[],
  { chunkPieces }: Settings,
  models: QueryModels,
): Promise<ScoredChunk[]> {
  const pairs = await mapInSlices(chunks, models.signal, ({ text }) => ({ a: query, b: text }));
  const scores = await models.score(
    'phaseTwo',
    pairs,
    chunkPieces === undefined ? {} : { secondPieces: chunkPieces },
  );
  return mapInSlices(chunks, models.signal, (chunk, i) => ({ ...chunk, score: scores[i] }));
}

/** The kc best chunks, best first; equal ones in the order of the feedback documents and of their text. */
function bestOf(chunks: readonly ScoredChunk[], kc: number): ScoredChunk[] {
  return [...chunks].sort((a, b) => b.score - a.score).slice(0, kc);
}

/** rel(c,d) of Eq. 4: the chunk takes the query's place. */
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

function hasNoPassage({ passage }: Candidate): boolean {
  return passage === undefined;
}

/** Pairs that choosing the best passage takes. */
function passagePairs({ passages }: Candidate): number {
  return passages.length > 1 ? passages.length : 0;
}

/** Pairs that rel(q,d) takes, its best passage included. */
function documentPairs(candidate: Candidate): number {
  return passagePairs(candidate) + 1;
}

function indexOfMax(values: Float64Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
