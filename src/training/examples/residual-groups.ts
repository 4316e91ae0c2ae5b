import type { Qrels } from '../../collection/index.js';
import { Random } from '../random.js';
import type { TrainingSettings } from '../settings.js';
import { judgedCandidates } from './candidates.js';
import type { Feedback, FeedbackDocument, QueryFeedback } from './feedback.js';
import type { Example, QueryExamples } from './gather.js';

/** A candidate, with what the final score takes from the first stage and from phase one. */
export interface ResidualExample
  extends
    Pick<Example, 'document' | 'passage' | 'relevant'>,
    Pick<FeedbackDocument, 'queryScore' | 'initial'> {}

/** A query after phases one and two: its chunks, and all its candidates, best of phase one first. */
export interface ResidualQuery extends QueryExamples {
  readonly chunks: Feedback['chunks'];
  readonly examples: readonly ResidualExample[];
}

/** The candidates of a query that a step compares: every one with every chunk. */
export type ResidualGroup = Pick<ResidualQuery, 'chunks' | 'examples'>;

/** Queries with all their candidates down to `depth`; documents without words are left out. */
export function residualQueries(
  gathered: readonly QueryFeedback[],
  qrels: Qrels,
  { depth }: Pick<TrainingSettings, 'depth'>,
): ResidualQuery[] {
  return gathered.map(({ query, feedback: { chunks, documents } }) => {
    const ranking = documents.map(({ document, initial }) => ({ id: document, score: initial }));
    const judged = judgedCandidates(ranking, qrels.get(query.id), depth);
    const examples = judged.map((candidate, i) => {
      const { passage, queryScore, initial } = documents[i];
      return { ...candidate, passage, queryScore, initial };
    });
    return {
      query,
      chunks,
      examples: examples
        .filter(({ passage }) => passage !== '')
        .toSorted((a, b) => b.queryScore - a.queryScore),
    };
  });
}

/** Others that phase one ranks among its first so many are the hard ones. */
const hardest = 30;

/**
 * At most `groupSize` of a query's candidates, drawn anew in every epoch: relevant ones, up to half; half of the others
 * from those that phase one ranks highest, since the final score goes wrong among them, the rest from all.
 */
export function drawGroup(
  { query, chunks, examples }: ResidualQuery,
  epoch: number,
  { groupSize, seed }: Pick<TrainingSettings, 'groupSize' | 'seed'>,
): ResidualGroup {
  const random = new Random('residual', seed, epoch, query.id);
  const [relevant, others] = [true, false].map((kind) => examples.filter((one) => one.relevant === kind));
  const wanted = random.sample(relevant, Math.floor(groupSize / 2));
  const room = groupSize - wanted.length;
  const hard = random.sample(others.slice(0, hardest), Math.floor(room / 2));
  const rest = others.filter((one) => !hard.includes(one));
  return { chunks, examples: [...wanted, ...hard, ...random.sample(rest, room - hard.length)] };
}
