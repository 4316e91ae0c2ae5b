import { join } from 'node:path';
import { readQrels, readQueries, readRun, type Qrels, type Query } from '../../collection/index.js';
import { writeFileAtomic } from '../../common/atomic.js';
import { closing } from '../../common/closing.js';
import { inputError, usageError } from '../../common/errors.js';
import { trainCedr, trainNprf, trainSnrm } from '../../controls/index.js';
import { Index } from '../../retrieval/index.js';
import {
  distilModel,
  lossFigure,
  lossMeasure,
  pretrainModel,
  readGroups,
  readTexts,
  trainingOptionsOf,
  trainModel,
  validationMeasure,
  type LossTrainingProgress,
  type Measure,
  type OutputCall,
  type StepProgress,
  type TrainingManifest,
  type TrainingOptions,
  type TrainProgress,
} from '../../training/index.js';
import { defineCommand, guessReporter, type Io } from '../command.js';
import { counted, formatCount, formatDuration } from '../format.js';
import { pick, refuseUseless, valuesOf } from '../options.js';
import { StatusLine } from '../progress.js';
import {
  controlOptions,
  phaseThreeInputs,
  refuseUselessOptions,
  snrmOptions,
  startingModel,
  trainOptions,
  type TrainValues,
} from '../train-options.js';

export const trainCommand = defineCommand({
  name: 'train',
  summary: "Fine-tune a model on the candidates of a collection's queries; the result is a model folder.",
  options: trainOptions,
  examples: [
    'bert-qe train --index cranfield.index --queries queries.jsonl --qrels qrels.txt --run dph-kl.run --model S --out s-cranfield',
    'bert-qe train … --epochs 1 --candidates 100 --learning-rate 2e-5 --validation-queries valid.jsonl --patience 3',
    'bert-qe train … --model T --on chunks --phase1 S --loss residual --depth 100 --learning-rate 2e-4 --steps 150',
    'bert-qe train --on text --corpus texts.txt.gz --size S --vocabulary models/small --steps 20000 --max-length 128 --out s-text',
    'bert-qe train --on groups --groups scored.jsonl.gz --model s-text --steps 10000 --out s-scored',
    'bert-qe train … --method cedr-knrm --model S --steps 400 --validation-queries valid.jsonl --out cedr',
    'bert-qe train … --method nprf-drmm --steps 2000 --out nprf',
    'bert-qe train --method snrm --index notes.index --out snrm',
    'bert-qe train … --resume',
  ],
  async run({ options, io }) {
    refuseUselessOptions(options);
    const { method, on, validationQueries: validationFile } = options;
    if (on === 'text' || on === 'groups') return trainOnFile(on, options, io);
    const folder = given(options, 'index');
    const files = method === 'snrm' ? [] : (['queries', 'qrels', 'run'] as const);
    const [queriesFile, qrelsFile, runFile] = files.map((name) => given(options, name));
    const reporter = new TrainReporter(options, validationMeasure, io);
    const onPart =
      (phase: PartProgress['phase']) =>
      (done: number, total: number): void =>
        reporter.update({ phase, done, total });
    const call = { ...reporter.call, onProgress: (progress: TrainProgress) => reporter.update(progress) };
    const controlCall = {
      ...reporter.call,
      onProgress: (progress: StepProgress) => reporter.update({ phase: 'training', ...progress }),
      onVectors: onPart('word vectors'),
    };
    const finish = (index: Index, train: () => Promise<TrainingManifest>, what = 'candidates') =>
      closing(index, () =>
        reporter.finish(
          train(),
          ({ relevant, others }) =>
            `${formatCount(relevant)} relevant and ${formatCount(others)} other ${what}`,
        ),
      );
    if (method === 'snrm') {
      const index = Index.open(folder);
      const latentCall = {
        ...controlCall,
        onWeakQueries: onPart('made queries'),
        onIndex: onPart('index of latent terms'),
      };
      return finish(index, () => trainSnrm(index, valuesOf(snrmOptions, options), latentCall));
    }
    // NPRF-DRMM starts from no model.
    const model = method === 'nprf-drmm' ? '' : given(options, 'model');
    if (options.teacher === undefined) {
      refuseUseless(pick(trainOptions, 'teacher-weight'), options, 'without --teacher MODEL.');
    }
    const phaseThree = phaseThreeInputs(options);
    const qrels = await readQrels(qrelsFile, { onGuess: guessReporter(io) });
    const queries = await judgedQueries(queriesFile, qrels, qrelsFile, io);
    const validationQueries =
      validationFile === undefined ? undefined : await judgedQueries(validationFile, qrels, qrelsFile, io);
    const run = await readRun(runFile);
    const index = Index.open(folder);
    const judged = { queries, qrels, run, validationQueries };
    const documents = { documents: index, documentsKey: index.manifest.digest };
    const train = (): Promise<TrainingManifest> => {
      const settings = valuesOf(controlOptions, options);
      switch (method) {
        case 'cedr-knrm': {
          const { headRate, dropout } = options;
          const inputs = { ...judged, ...documents };
          return trainCedr(model, inputs, { ...settings, headRate, dropout }, controlCall);
        }
        case 'nprf-drmm':
          return trainNprf({ ...judged, index }, settings, controlCall);
        case 'bert-qe': {
          const { teacher, bestPassage: passageModel } = options;
          const inputs = { ...judged, ...documents, model, teacher, passageModel, phaseThree };
          return trainModel(inputs, trainingOptions(options), call);
        }
      }
    };
    await finish(index, train, phaseThree ? 'pairs' : 'candidates');
  },
});

/** The value of an option that is needed. */
function given(
  options: TrainValues,
  name: 'index' | 'queries' | 'qrels' | 'run' | 'model' | 'out' | 'corpus' | 'groups',
): string {
  const value = options[name];
  if (value !== undefined) return value;
  throw usageError(`train needs --${name}; see bert-qe train --help.`);
}

/** The options of training; of a training on a file, those that its loss has. */
function trainingOptions(options: TrainValues, only?: 'masked' | 'distilled'): TrainingOptions {
  return Object.fromEntries(trainingOptionsOf(only).map((name) => [name, options[name]]));
}

/** Trains on a file: masked words of text, or groups with a teacher's scores. */
async function trainOnFile(on: 'text' | 'groups', options: TrainValues, io: Io): Promise<void> {
  const reporter = new TrainReporter(options, lossMeasure, io);
  const what = on === 'text' ? 'word pieces' : 'groups';
  const call = {
    ...reporter.call,
    onProgress: (progress: LossTrainingProgress) =>
      reporter.update(progress.phase === 'reading' ? { phase: what, done: progress.done } : progress),
  };
  if (on === 'text') {
    const texts = readTexts(given(options, 'corpus'));
    const { validationCorpus: held } = options;
    const validationTexts = held === undefined ? undefined : readTexts(held);
    const inputs = { texts, validationTexts, model: startingModel(options) };
    const training = pretrainModel(inputs, trainingOptions(options, 'masked'), call);
    return reporter.finish(training, ({ pieces }) => `${formatCount(pieces)} word pieces`);
  }
  const groups = readGroups(given(options, 'groups'));
  const { validationGroups: held } = options;
  const validationGroups = held === undefined ? undefined : readGroups(held);
  const inputs = { groups, validationGroups, model: given(options, 'model') };
  const training = distilModel(inputs, trainingOptions(options, 'distilled'), call);
  return reporter.finish(
    training,
    ({ groups: count, candidates }) => `${formatCount(candidates)} candidates of ${counted(count, 'group')}`,
  );
}

/** The queries of a file that have judgements; the others are counted on standard error. */
async function judgedQueries(file: string, qrels: Qrels, qrelsFile: string, io: Io): Promise<Query[]> {
  const all = await readQueries(file);
  const judged = all.filter(({ id }) => qrels.has(id));
  if (judged.length === 0) {
    throw inputError(
      `${qrelsFile}: none of the ${all.length} queries of ${file} is judged; give the judgements of these queries.`,
    );
  }
  const others = all.length - judged.length;
  if (others > 0) {
    io.stderr.write(`bert-qe: ${counted(others, 'query')} of ${file} without judgements left out\n`);
  }
  return judged;
}

/** The share of the training after which another line is written, where stderr is not a terminal. */
const reportedShare = 0.1;

/** Reports a training: a status line on a terminal, elsewhere a line now and then; and at its end what was trained. */
class TrainReporter {
  /** Where the training goes, and what stops it. */
  readonly call: OutputCall;
  readonly #line: StatusLine;
  readonly #started = performance.now();
  #reported = 0;

  constructor(
    options: TrainValues,
    private readonly measure: Measure,
    private readonly io: Io,
  ) {
    this.call = { out: given(options, 'out'), resume: options.resume, signal: io.signal };
    this.#line = new StatusLine(io);
  }

  update(progress: TrainProgress | PartProgress): void {
    this.#line.show(() => describe(progress, this.measure));
    if (this.#line.isTerminal || progress.phase !== 'training') return;
    const done = progress.step / progress.steps;
    if (done < this.#reported + reportedShare && progress.step < progress.steps) return;
    this.#reported = Math.floor(done / reportedShare) * reportedShare;
    this.io.stderr.write(`${describe(progress, this.measure)}\n`);
  }

  /** Waits for the training, and writes the figure of the loss and a line on what was learned. */
  async finish<Counts>(
    training: Promise<TrainingManifest<Counts>>,
    learned: (examples: Counts) => string,
  ): Promise<void> {
    const { model, history, best, steps, examples } = await training.finally(() => this.#line.clear());
    const { measure, io } = this;
    const { out } = this.call;
    const figure = lossFigure(`Training ${model}, ${formatCount(steps)} steps`, history, measure);
    await writeFileAtomic(join(out, 'loss.svg'), figure);
    const seconds = (performance.now() - this.#started) / 1000;
    io.stderr.write(
      `bert-qe: ${formatCount(steps)} steps on ${learned(examples)}, ${formatDuration(seconds)}` +
        `${best ? `; best after step ${best.step}: ${measure} ${best.value.toFixed(4)}` : ''}\n`,
    );
    io.stdout.write(`${out}\n`);
  }
}

/** The progress of what comes before and after the steps of a training; of what is read, the total is not known. */
interface PartProgress {
  readonly phase: 'word vectors' | 'made queries' | 'index of latent terms' | 'word pieces' | 'groups';
  readonly done: number;
  readonly total?: number;
}

function describe(progress: TrainProgress | PartProgress, measure: Measure): string {
  if (progress.phase === 'passages') {
    return `best passages: ${formatCount(progress.done)} of ${formatCount(progress.total)} queries`;
  }
  if (progress.phase !== 'training') {
    const { phase, done, total } = progress;
    return total === undefined
      ? `${formatCount(done)} ${phase} read`
      : `${phase}: ${Math.floor((100 * done) / total)}%`;
  }
  const { step, steps, smoothedLoss, learningRate, examplesPerSecond, secondsLeft, validation } = progress;
  return [
    `step ${formatCount(step)} of ${formatCount(steps)}`,
    `loss ${smoothedLoss.toFixed(4)}`,
    `learning rate ${learningRate.toExponential(1)}`,
    `${formatCount(examplesPerSecond)} examples/s`,
    ...(validation ? [`${measure} ${validation.value.toFixed(4)} at step ${validation.step}`] : []),
    `${formatDuration(secondsLeft)} left`,
  ].join(' · ');
}
