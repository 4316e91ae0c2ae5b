import type { Tokenizer } from '../../bert/index.js';
import type { TrainingBatch } from '../engine/micro-batch.js';
import { byRelevance, countQueries, type Example, type QueryExamples } from '../examples/query-examples.js';
import { Random } from '../random.js';
import type { TrainingSettings } from '../settings.js';
import { sequencesOf, targetBatches } from './sequences.js';
import { BatchSampler, stepsOf, type TrainingData } from './training-data.js';

/** The examples that the loss compares, by their numbers: a single one or, relevant first, some of one query. */
export type Group = readonly number[];

/** The data of the pointwise, pairwise and listwise losses, whose targets do not depend on the model. */
export function exampleData(
  queries: readonly QueryExamples[],
  tokenizer: Tokenizer,
  settings: TrainingSettings,
): TrainingData {
  const sampler = new BatchSampler(groupsOf(queries, settings), settings);
  const batchesOf = batchMaker(queries, tokenizer, settings);
  const examples = queries.flatMap((one) => one.examples);
  const relevant = examples.filter((example) => example.relevant).length;
  const counts = { queries: countQueries(queries), relevant, others: examples.length - relevant };
  const steps = stepsOf((step) => ({ batches: batchesOf(sampler.batch(step)), least: 0 }));
  return sampler.data(counts, steps);
}

function batchMaker(
  queries: readonly QueryExamples[],
  tokenizer: Tokenizer,
  settings: TrainingSettings,
): (groups: readonly Group[]) => TrainingBatch[] {
  const pairings = queries.map(({ query, chunk, examples }) => ({
    first: chunk ?? query.text,
    passages: examples.map(({ passage }) => passage),
  }));
  const sequences = sequencesOf(pairings, tokenizer, settings.maxLength);
  const examples = queries.flatMap((one) => one.examples);
  return (groups) => {
    const chosen = groups.flat().map((number) => sequences[number]);
    const rows = targetsOf(groups, examples, settings);
    return targetBatches(chosen, rows, settings.batchTokens, settings.groupSize);
  };
}

/** The groups of any epoch: single examples or, for the other losses, each relevant example with others of its query. */
export function groupsOf(
  queries: readonly QueryExamples[],
  { loss, groupSize, seed }: Pick<TrainingSettings, 'loss' | 'groupSize' | 'seed'>,
): (epoch: number) => Group[] {
  let next = 0;
  const numbered = queries.map(({ examples }) => {
    return byRelevance(examples.map(({ relevant }) => ({ relevant, number: next++ })));
  });
  return (epoch) => {
    if (loss === 'pointwise') {
      return numbered.flatMap(({ relevant, others }) =>
        [...relevant, ...others].map(({ number }) => [number]),
      );
    }
    const random = new Random('groups', seed, epoch);
    return numbered
      .filter(({ others }) => others.length > 0)
      .flatMap(({ relevant, others }) =>
        relevant.map((one) => {
          const some = random.sample(others, groupSize - 1);
          // Some are repeated for a query with too few others.
          while (some.length < groupSize - 1) some.push(others[random.below(others.length)]);
          return [one, ...some].map(({ number }) => number);
        }),
      );
  };
}

/** The loss's targets, a row per group: the judgements, mixed with the teacher's scores. All rows together sum to 1. */
export function targetsOf(
  groups: readonly Group[],
  examples: readonly Example[],
  { loss, teacherWeight }: Pick<TrainingSettings, 'loss' | 'teacherWeight'>,
): number[][] {
  return groups.map((group) => {
    const members = group.map((number) => examples[number]);
    const row =
      loss === 'pointwise' ? pointwise(members[0], teacherWeight) : listwise(members, teacherWeight);
    return row.map((value) => value / groups.length);
  });
}

function pointwise({ relevant, teacher }: Example, weight: number): number[] {
  const judged = relevant ? 1 : 0;
  const target = teacher === undefined ? judged : (1 - weight) * judged + weight * teacher;
  return [1 - target, target];
}

/** The relevant example comes first; the teacher's distribution is the softmax of its log-odds. */
function listwise(members: readonly Example[], weight: number): number[] {
  const judged = members.map((_, i) => (i === 0 ? 1 : 0));
  const teachers = members.flatMap(({ teacher }) => (teacher === undefined ? [] : [oddsOf(teacher)]));
  if (teachers.length < members.length) return judged;
  const total = teachers.reduce((sum, odds) => sum + odds, 0);
  return judged.map((value, i) => (1 - weight) * value + (weight * teachers[i]) / total);
}

/** The odds of a probability, which is first kept away from 0 and 1. */
function oddsOf(probability: number): number {
  const p = Math.min(1 - 1e-6, Math.max(1e-6, probability));
  return p / (1 - p);
}
