import type { Tokenizer } from '../bert/index.js';
import type { TrainingBatch } from './engine/index.js';
import {
  portions,
  queriesIn,
  type QueryExamples,
  sequencesOf,
  targetsOf,
  UnitStream,
  unitsOf,
} from './examples/index.js';
import type { Lessons } from './lessons.js';
import type { TrainingSettings } from './settings.js';

/** Lessons of single examples or groups of them, whose targets are known before the model is asked. */
export function exampleLessons(
  training: readonly QueryExamples[],
  tokenizer: Tokenizer,
  settings: TrainingSettings,
): Lessons {
  const stream = new UnitStream(unitsOf(training, settings), settings);
  const batchesAt = batchMaker(training, stream, tokenizer, settings);
  const examples = training.flatMap((one) => one.examples);
  const relevant = examples.filter((example) => example.relevant).length;
  return {
    size: stream.size,
    examplesPerStep: stream.perStep * settings.groupSize,
    found: { queries: queriesIn(training), relevant, others: examples.length - relevant },
    stepsIn: (epochs) => stream.stepsIn(epochs),
    take: (worker, step, learningRate) => worker.step(step, learningRate, batchesAt(step)),
  };
}

/** Makes the micro-batches of any step. */
function batchMaker(
  training: readonly QueryExamples[],
  stream: UnitStream<readonly number[]>,
  tokenizer: Tokenizer,
  settings: TrainingSettings,
): (step: number) => TrainingBatch[] {
  const pairings = training.map(({ query, chunk, examples }) => ({
    first: chunk ?? query.text,
    passages: examples.map(({ passage }) => passage),
  }));
  const sequences = sequencesOf(pairings, tokenizer, settings.maxLength);
  const examples = training.flatMap((one) => one.examples);
  const together = settings.groupSize;
  const columns = settings.loss === 'pointwise' ? 2 : together;
  return (step) => {
    const units = stream.at(step);
    const rows = targetsOf(units, examples, settings);
    const taken = units.flat().map((number) => sequences[number]);
    return portions(taken, settings.batchTokens, together).map(({ batch, places }) => {
      const targets = places
        .filter((place) => place % together === 0)
        .flatMap((place) => rows[place / together]);
      return { ...batch, targets: Float32Array.from(targets), columns };
    });
  };
}
