import { probabilities, type Tokenizer } from '../bert/index.js';
import type { StepOutcome, TrainingWorker } from './engine/index.js';
import {
  drawGroup,
  portions,
  queriesIn,
  type ResidualGroup,
  type ResidualQuery,
  sequencesOf,
  UnitStream,
} from './examples/index.js';
import type { Lessons } from './lessons.js';
import { residualLoss } from './residual-loss.js';
import type { TrainingSettings } from './settings.js';

/** Lessons of whole queries: some of a query's candidates against all its chunks, by the final score they give. */
export function residualLessons(
  training: readonly ResidualQuery[],
  tokenizer: Tokenizer,
  labels: number,
  settings: TrainingSettings,
): Lessons {
  const useful = training.filter(
    ({ chunks, examples }) =>
      chunks.length > 0 && examples.some((one) => one.relevant) && examples.some((one) => !one.relevant),
  );
  const stream = new UnitStream(
    (epoch) => useful.map((query) => drawGroup(query, epoch, settings)),
    settings,
  );
  const pairs = (kind: boolean): number =>
    training.reduce(
      (sum, { chunks, examples }) =>
        sum + chunks.length * examples.filter(({ relevant }) => relevant === kind).length,
      0,
    );
  return {
    size: stream.size,
    examplesPerStep: stream.perStep * settings.groupSize,
    found: { queries: queriesIn(training), relevant: pairs(true), others: pairs(false) },
    stepsIn: (epochs) => stream.stepsIn(epochs),
    take: (worker, step, learningRate) =>
      takeStep(stream.at(step), worker, step, learningRate, { tokenizer, labels, settings }),
  };
}

interface Reading {
  readonly tokenizer: Tokenizer;
  readonly labels: number;
  readonly settings: TrainingSettings;
}

/**
 * A group's loss needs all of its scores at once, and a query's pairs are more than memory should hold with all that
 * the way back needs. So the model is asked twice: first for the scores, from which the loss and its gradient with
 * respect to each of them follow; then, portion by portion, to pass that gradient on to the weights.
 */
async function takeStep(
  groups: readonly ResidualGroup[],
  worker: TrainingWorker,
  step: number,
  learningRate: number,
  { tokenizer, labels, settings }: Reading,
): Promise<StepOutcome> {
  const pairings = groups.flatMap(({ chunks, examples }) => {
    const passages = examples.map(({ passage }) => passage);
    return chunks.map(({ text }) => ({ first: text, passages }));
  });
  const sequences = sequencesOf(pairings, tokenizer, settings.maxLength);
  const cut = portions(sequences, settings.batchTokens);
  const places = cut.flatMap((portion) => portion.places);
  const values = await worker.score(
    cut.map(({ batch }) => batch),
    step,
  );
  const scores = new Float32Array(sequences.length);
  probabilities({ labels, values }).forEach((score, i) => (scores[places[i]] = score));

  const combination = { alpha: settings.lossAlpha, beta: settings.lossBeta };
  const gradient = new Float32Array(sequences.length);
  let total = 0;
  let at = 0;
  for (const group of groups) {
    const end = at + group.chunks.length * group.examples.length;
    const found = residualLoss(group, scores.subarray(at, end), combination);
    gradient.set(
      found.gradient.map((value) => value / groups.length),
      at,
    );
    total += found.loss;
    at = end;
  }
  const batches = cut.map(({ batch, places: own }) => ({
    ...batch,
    targets: Float32Array.from(own, (place) => gradient[place]),
    columns: 1,
  }));
  const { gradientNorm } = await worker.step(step, learningRate, batches);
  return { loss: total / groups.length, gradientNorm };
}
