import { Random } from '../random.js';
import type { TrainingSettings } from '../settings.js';
import type { Example, QueryExamples } from './gather.js';

/** What the loss looks at together: one example or, relevant first, a group of one query. By their numbers. */
export type Unit = readonly number[];

/** The units of any epoch: every example by itself or, by groups, every relevant one with others of its query. */
export function unitsOf(
  gathered: readonly QueryExamples[],
  { loss, groupSize, seed }: Pick<TrainingSettings, 'loss' | 'groupSize' | 'seed'>,
): (epoch: number) => Unit[] {
  let next = 0;
  const groups = gathered.map(({ examples }) => {
    const numbered = examples.map(({ relevant }) => ({ relevant, number: next++ }));
    const numbers = (kind: boolean): number[] =>
      numbered.filter(({ relevant }) => relevant === kind).map(({ number }) => number);
    return { relevant: numbers(true), others: numbers(false) };
  });
  return (epoch) => {
    if (loss === 'pointwise') {
      return groups.flatMap(({ relevant, others }) => [...relevant, ...others].map((one) => [one]));
    }
    const random = new Random('groups', seed, epoch);
    return groups
      .filter(({ others }) => others.length > 0)
      .flatMap(({ relevant, others }) =>
        relevant.map((one) => {
          const some = random.sample(others, groupSize - 1);
          // Too few to choose from: some come twice.
          while (some.length < groupSize - 1) some.push(others[random.below(others.length)]);
          return [one, ...some];
        }),
      );
  };
}

/**
 * What the loss aims at, a row per unit: the judgements, mixed with the teacher's opinion where there is one. Rows
 * are weighted alike and add up to 1.
 */
export function targetsOf(
  units: readonly Unit[],
  examples: readonly Example[],
  { loss, teacherWeight }: Pick<TrainingSettings, 'loss' | 'teacherWeight'>,
): number[][] {
  return units.map((unit) => {
    const members = unit.map((number) => examples[number]);
    const row =
      loss === 'pointwise' ? pointwise(members[0], teacherWeight) : listwise(members, teacherWeight);
    return row.map((value) => value / units.length);
  });
}

function pointwise({ relevant, teacher }: Example, weight: number): number[] {
  const judged = relevant ? 1 : 0;
  const wanted = teacher === undefined ? judged : (1 - weight) * judged + weight * teacher;
  return [1 - wanted, wanted];
}

/** The relevant one comes first; a teacher's distribution is the softmax of its log-odds. */
function listwise(members: readonly Example[], weight: number): number[] {
  const judged = members.map((_, i) => (i === 0 ? 1 : 0));
  const teachers = members.flatMap(({ teacher }) => (teacher === undefined ? [] : [oddsOf(teacher)]));
  if (teachers.length < members.length) return judged;
  const total = teachers.reduce((sum, odds) => sum + odds, 0);
  return judged.map((value, i) => (1 - weight) * value + (weight * teachers[i]) / total);
}

/** exp(log-odds); certainty is cut off so that it stays a number. */
function oddsOf(probability: number): number {
  const p = Math.min(1 - 1e-6, Math.max(1e-6, probability));
  return p / (1 - p);
}
