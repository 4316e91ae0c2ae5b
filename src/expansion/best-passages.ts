import type { Candidate, Evidence } from './evidence.js';
import type { QueryModels } from './models.js';
import type { Settings } from './options.js';
import { rankedUnexpanded } from './ranking.js';
import type { Schedule } from './schedule/schedule.js';

/** What all steps of the method have of one query. */
export interface QueryRun {
  readonly evidence: Evidence;
  readonly settings: Settings;
  readonly models: QueryModels;
  readonly schedule: Schedule;
}

/** Chooses the passage that stands for each document: the most relevant to the query, the first among equals. */
export async function chooseBestPassages(run: QueryRun, candidates: readonly Candidate[]): Promise<void> {
  const open = candidates.filter(hasNoPassage);
  const choices = await mostRelevant(
    'bestPassage',
    run,
    open.map(({ likelyPassages }) => likelyPassages),
  );
  open.forEach((candidate, i) => (candidate.passage = choices[i].passage));
}

/** True where a smaller model chooses the passages, so that phase one's model revises those of the leading documents. */
export function revisesLeading({ settings, models }: QueryRun): boolean {
  return settings.passageChoice === 'cascade' && !models.isSame('bestPassage', 'phaseOne');
}

/** True where phase one reads only the first documents by their likeliest passages. */
export function isShortlisted({ evidence, settings }: QueryRun): boolean {
  const { passageChoice, phaseOneDepth = Infinity, chunkSource } = settings;
  return (
    passageChoice === 'cascade' && chunkSource !== 'initial' && phaseOneDepth < evidence.candidates.length
  );
}

/**
 * The first step of the cascade: the model that chooses the passages scores every document by its likeliest one. The
 * first documents by that score and the initial one are left.
 *
 * @returns False where the schedule ran out of time.
 */
export async function shortlist({ evidence, settings, models, schedule }: QueryRun): Promise<boolean> {
  const { query, candidates } = evidence;
  const scores = new Map<Candidate, number>();
  const withText = candidates.filter(({ isEmpty }) => !isEmpty);
  const areScored = await schedule.all('documents', withText, onePair, async (some) => {
    const likeliest = some.map((candidate) => candidate.likeliest!);
    const answers = await models.relevance('bestPassage', query, likeliest);
    some.forEach((candidate, i) => scores.set(candidate, answers[i]));
  });
  if (areScored) {
    const ranking = rankedUnexpanded(candidates, settings, (candidate) => scores.get(candidate) ?? 0);
    evidence.shortlist(ranking, settings.phaseOneDepth!);
  }
  return areScored;
}

/**
 * The last step of the cascade: phase one's model compares all passages of the kd documents that lead phase one, whose
 * chunks expand the query. Their best passages and rel(q,d) are then those of an exhaustive choice.
 *
 * @returns False where the schedule ran out of time.
 */
export async function reviseLeading(run: QueryRun): Promise<boolean> {
  const { evidence, settings, schedule } = run;
  const leading = evidence.lead(settings.kd);
  const isRevised = await schedule.all('leading', leading, allPassages, async (some) => {
    const choices = await mostRelevant(
      'phaseOne',
      run,
      some.map(({ passages }) => passages),
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
  { evidence: { query }, models }: QueryRun,
  lists: readonly (readonly string[])[],
): Promise<{ readonly passage: string; readonly score: number }[]> {
  const scores = await models.relevance(phase, query, lists.flat());
  let from = 0;
  return lists.map((passages) => {
    const own = scores.subarray(from, (from += passages.length));
    const best = own.indexOf(own.reduce((largest, score) => Math.max(largest, score)));
    return { passage: passages[best], score: own[best] };
  });
}
