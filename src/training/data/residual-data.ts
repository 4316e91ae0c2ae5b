import type { Tokenizer } from '../../bert/index.js';
import type { Qrels } from '../../collection/index.js';
import { isFinite, type StepOutcome } from '../engine/training-engine.js';
import type { TrainingWorker } from '../engine/training-worker.js';
import { byRelevance, countQueries, type QueryExamples } from '../examples/query-examples.js';
import { type Feedback, judgedDocuments, type QueryFeedback } from '../examples/feedback.js';
import { Random } from '../random.js';
import type { TrainingSettings } from '../settings.js';
import { residualLoss, type ResidualExample, type ResidualGroup } from './residual-loss.js';
import { microBatches, scoreInto, sequencesOf } from './sequences.js';
import { BatchSampler, type TrainingData } from './training-data.js';

/** A query after phases one and two: its chunks, and its candidates in the order of phase one. */
export interface ResidualQuery extends QueryExamples {
  readonly chunks: Feedback['chunks'];
  readonly examples: readonly ResidualExample[];
}

/** The queries with their candidates down to `depth`, without documents that have no words. */
export function residualQueries(
  collected: readonly QueryFeedback[],
  qrels: Qrels,
  { depth }: Pick<TrainingSettings, 'depth'>,
): ResidualQuery[] {
  return collected.map(({ query, feedback: { chunks, documents } }) => {
    const judged = judgedDocuments(documents, qrels.get(query.id), depth);
    return { query, chunks, examples: judged.toSorted((a, b) => b.queryScore - a.queryScore) };
  });
}

/** The number of irrelevant candidates, best of phase one first, that count as hard. */
const hardNegatives = 30;

/**
 * At most `groupSize` of a query's candidates, drawn again in every epoch. Up to half are relevant. Half of the others
 * come from those that phase one ranks highest, where errors of the final score matter most, and the rest from all.
 */
export function drawGroup(
  { query, chunks, examples }: ResidualQuery,
  epoch: number,
  { groupSize, seed }: Pick<TrainingSettings, 'groupSize' | 'seed'>,
): ResidualGroup {
  const random = new Random('residual', seed, epoch, query.id);
  const { relevant, others } = byRelevance(examples);
  const drawn = random.sample(relevant, Math.floor(groupSize / 2));
  const room = groupSize - drawn.length;
  const hard = random.sample(others.slice(0, hardNegatives), Math.floor(room / 2));
  const rest = others.filter((one) => !hard.includes(one));
  return { chunks, examples: [...drawn, ...hard, ...random.sample(rest, room - hard.length)] };
}

/** The data of the residual loss: a group is a query with some of its candidates. */
export function residualData(
  queries: readonly ResidualQuery[],
  tokenizer: Tokenizer,
  labels: number,
  settings: TrainingSettings,
): TrainingData {
  const useful = queries.filter(
    ({ chunks, examples }) =>
      chunks.length > 0 && examples.some((one) => one.relevant) && examples.some((one) => !one.relevant),
  );
  const sampler = new BatchSampler(
    (epoch) => useful.map((query) => drawGroup(query, epoch, settings)),
    settings,
  );
  const countPairs = (kind: 'relevant' | 'others'): number =>
    queries.reduce(
      (sum, { chunks, examples }) => sum + chunks.length * byRelevance(examples)[kind].length,
      0,
    );
  const counts = {
    queries: countQueries(queries),
    relevant: countPairs('relevant'),
    others: countPairs('others'),
  };
  return sampler.data(counts, async (worker, first, rates) => {
    const outcomes: StepOutcome[] = [];
    for (const [i, rate] of rates.entries()) {
      const step = first + i;
      const reading = { tokenizer, labels, settings };
      outcomes.push(await residualStep(sampler.batch(step), worker, step, rate, reading));
      if (!isFinite(outcomes.at(-1)!)) break;
    }
    return outcomes;
  });
}

interface ModelReading {
  readonly tokenizer: Tokenizer;
  readonly labels: number;
  readonly settings: TrainingSettings;
}

/**
 * A step with the residual loss. The loss of a group needs all its scores at once, but backpropagation through all its
 * pairs at once would need too much memory. So there are two passes: the first computes the scores, from which follow
 * the loss and its gradient with respect to each score; the second backpropagates that gradient by micro-batches.
 */
async function residualStep(
  groups: readonly ResidualGroup[],
  worker: TrainingWorker,
  step: number,
  learningRate: number,
  { tokenizer, labels, settings }: ModelReading,
): Promise<StepOutcome> {
  const pairings = groups.flatMap(({ chunks, examples }) => {
    const passages = examples.map(({ passage }) => passage);
    return chunks.map(({ text }) => ({ first: text, passages }));
  });
  const sequences = sequencesOf(pairings, tokenizer, settings.maxLength);
  const cut = microBatches(sequences, settings.batchTokens);
  const scores = new Float32Array(sequences.length);
  await scoreInto(scores, cut, worker, labels, step);

  const combination = { alpha: settings.lossAlpha, beta: settings.lossBeta };
  const gradient = new Float32Array(sequences.length);
  let total = 0;
  let at = 0;
  for (const group of groups) {
    const end = at + group.chunks.length * group.examples.length;
    const ofGroup = residualLoss(group, scores.subarray(at, end), combination);
    gradient.set(
      ofGroup.gradient.map((value) => value / groups.length),
      at,
    );
    total += ofGroup.loss;
    at = end;
  }
  const batches = cut.map(({ batch, places }) => ({
    ...batch,
    targets: Float32Array.from(places, (place) => gradient[place]),
    columns: 1,
  }));
  const [{ gradientNorm }] = await worker.call('steps', [{ number: step, learningRate, batches }]);
  return { loss: total / groups.length, gradientNorm };
}
