import type { Candidate, Evidence } from './evidence.js';
import type { QueryModels } from './models.js';
import type { Settings } from './options.js';
import { rankedUnexpanded } from './ranking.js';
import type { Schedule } from './schedule/index.js';

/** Chooses the passage that stands for each document: the most relevant to the query, the first among equals. */
export async function chooseBestPassages(
  { query }: Evidence,
  candidates: readonly Candidate[],
  models: QueryModels,
): Promise<void> {
  const open = candidates.filter(hasNoPassage);
  const choices = await mostRelevant(
    'bestPassage',
    query,
    open.map(({ likelyPassages }) => likelyPassages),
    models,
  );
  open.forEach((candidate, i) => (candidate.passage = choices[i].passage));
}

/** True where a smaller model chooses the passages, so that phase one's model revises those of the leading documents. */
export function revisesLeading({ passageChoice }: Settings, models: QueryModels): boolean {
  return passageChoice === 'cascade' && !models.isSame('bestPassage', 'phaseOne');
}

/** True where phase one reads only the first documents by their likeliest passages. */
export function isShortlisted(
  { candidates }: Evidence,
  { passageChoice, phaseOneDepth = Infinity, chunkSource }: Settings,
): boolean {
  return passageChoice === 'cascade' && chunkSource !== 'initial' && phaseOneDepth < candidates.length;
}

/**
 * The first step of the cascade: the model that chooses the passages scores every document by its likeliest one. The
 * first documents by that score and the initial one are left.
 *
 * @returns False where the schedule ran out of time.
 */
export async function shortlist(
  evidence: Evidence,
  { phaseOneDepth, beta }: Settings,
  models: QueryModels,
  schedule: Schedule,
): Promise<boolean> {
  const { query, candidates } = evidence;
  const scores = new Map<Candidate, number>();
  const withText = candidates.filter(({ isEmpty }) => !isEmpty);
  const areScored = await schedule.all('documents', withText, onePair, async (some) => {
    const pairs = some.map(({ likeliest }) => ({ a: query, b: likeliest! }));
    const answers = await models.score('bestPassage', pairs);
    some.forEach((candidate, i) => scores.set(candidate, answers[i]));
  });
  if (areScored) {
    const ranking = rankedUnexpanded(candidates, { beta }, (candidate) => scores.get(candidate) ?? 0);
    evidence.shortlist(ranking, phaseOneDepth!);
  }
  return areScored;
}

/**
 * The last step of the cascade: phase one's model compares all passages of the kd documents that lead phase one, whose
 * chunks expand the query. Their best passages and rel(q,d) are then those of an exhaustive choice.
 *
 * @returns False where the schedule ran out of time.
 */
export async function reviseLeading(
  evidence: Evidence,
  { kd }: Settings,
  models: QueryModels,
  schedule: Schedule,
): Promise<boolean> {
  const leading = evidence.lead(kd);
  const isRevised = await schedule.all('leading', leading, allPassages, async (some) => {
    const choices = await mostRelevant(
      'phaseOne',
      evidence.query,
      some.map(({ passages }) => passages),
      models,
    );
    some.forEach((candidate, i) => {
      candidate.passage = choices[i].passage;
      candidate.queryScore = choices[i].score;
    });
  });
  evidence.mayRise = !isRevised;
  return isRevised;
}

export function hasNoPassage({ passage }: Candidate): boolean {
  return passage === undefined;
}

/** Pairs that rel(q,d) takes, the choice of the best passage included. */
export function documentPairs(candidate: Candidate): number {
  return passagePairs(candidate) + 1;
}

/** Pairs that choosing the best passage takes. */
export function passagePairs({ likelyPassages }: Candidate): number {
  return likelyPassages.length > 1 ? likelyPassages.length : 0;
}

export function onePair(): number {
  return 1;
}

function allPassages({ passages }: Candidate): number {
  return passages.length;
}

/** The passage of each list that is most relevant to the query, the first among equals, with its score. */
async function mostRelevant(
  phase: 'bestPassage' | 'phaseOne',
  query: string,
  lists: readonly (readonly string[])[],
  models: QueryModels,
): Promise<{ readonly passage: string; readonly score: number }[]> {
  const scores = await models.score(
    phase,
    lists.flatMap((passages) => passages.map((passage) => ({ a: query, b: passage }))),
  );
  let from = 0;
  return lists.map((passages) => {
    const own = scores.subarray(from, (from += passages.length));
    const best = indexOfMax(own);
    return { passage: passages[best], score: own[best] };
  });
}

function indexOfMax(values: Float64Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
