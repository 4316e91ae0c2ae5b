import { join } from 'node:path';
import { readQrels, readQueries, readRun, type Qrels, type Query } from '../../collection/index.js';
import { writeFileAtomic } from '../../common/atomic.js';
import { inputError, usageError } from '../../common/errors.js';
import { trainCedr, trainNprf, trainSnrm } from '../../controls/index.js';
import { Index } from '../../retrieval/index.js';
import {
  distilModel,
  hasOption,
  lossFigure,
  lossMeasure,
  pretrainModel,
  readGroups,
  readTexts,
  trainingOptionNames,
  trainModel,
  validationMeasure,
  type LossTrainingProgress,
  type Measure,
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
    const needed = (name: 'index' | 'queries' | 'qrels' | 'run' | 'model' | 'out'): string =>
      given(options, name);
    const { method, validationQueries: validationFile, resume } = options;
    refuseUselessOptions(options);
    if (options.on === 'text' || options.on === 'groups') return trainOnFile(options.on, options, io);
    const folder = needed('index');
    if (method !== 'snrm') (['queries', 'qrels', 'run'] as const).forEach(needed);
    const out = needed('out');
    const reporter = new TrainReporter(io, validationMeasure);
    const onPart =
      (phase: PartProgress['phase']) =>
      (done: number, total: number): void =>
        reporter.update({ phase, done, total });
    const started = performance.now();
    const call = {
      out,
      resume,
      signal: io.signal,
      onProgress: (progress: TrainProgress) => reporter.update(progress),
    };
    const controlCall = {
      ...call,
      onProgress: (progress: StepProgress) => reporter.update({ phase: 'training', ...progress }),
      onVectors: onPart('word vectors'),
    };
    const finish = async (
      index: Index,
      title: string,
      train: () => Promise<TrainingManifest>,
      what = 'candidates',
    ): Promise<void> => {
      try {
        const manifest = await train().finally(() => reporter.done());
        const { relevant, others } = manifest.examples;
        const learned = `${formatCount(relevant)} relevant and ${formatCount(others)} other ${what}`;
        await report(title, manifest, { out, started, learned, measure: validationMeasure }, io);
      } finally {
        await index.close();
      }
    };
    if (method === 'snrm') {
      const index = Index.open(folder);
      const latentCall = {
        ...controlCall,
        onWeakQueries: onPart('made queries'),
        onIndex: onPart('index of latent terms'),
      };
      const train = () => trainSnrm(index, valuesOf(snrmOptions, options), latentCall);
      return finish(index, 'SNRM', train);
    }
    const [queriesFile, qrelsFile, runFile] = [needed('queries'), needed('qrels'), needed('run')];
    // NPRF-DRMM starts from no model.
    const model = method === 'nprf-drmm' ? 'NPRF-DRMM' : needed('model');
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
    await finish(index, model, train, phaseThree ? 'pairs' : 'candidates');
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
function trainingOptions(options: TrainValues, loss?: 'masked' | 'distilled'): TrainingOptions {
  const names = trainingOptionNames.filter((name) => loss === undefined || hasOption(loss, name));
  return Object.fromEntries(names.map((name) => [name, options[name]]));
}

/** Trains on a file: masked words of text, or groups with a teacher's scores. */
async function trainOnFile(on: 'text' | 'groups', options: TrainValues, io: Io): Promise<void> {
  const [out, what] = [given(options, 'out'), on === 'text' ? 'word pieces' : 'groups'] as const;
  const reporter = new TrainReporter(io, lossMeasure);
  const started = performance.now();
  const call = {
    out,
    resume: options.resume,
    signal: io.signal,
    onProgress: (progress: LossTrainingProgress) =>
      reporter.update(progress.phase === 'reading' ? { phase: what, done: progress.done } : progress),
  };
  const { loss: _, ...settings } = trainingOptions(options, on === 'text' ? 'masked' : 'distilled');
  const trainText = async () => {
    const texts = readTexts(given(options, 'corpus'));
    const { validationCorpus: held } = options;
    const validationTexts = held === undefined ? undefined : readTexts(held);
    const inputs = { texts, validationTexts, model: startingModel(options) };
    const manifest = await pretrainModel(inputs, settings, call);
    return { manifest, learned: `${formatCount(manifest.examples.pieces)} word pieces` };
  };
  const trainGroups = async () => {
    const groups = readGroups(given(options, 'groups'));
    const { validationGroups: held } = options;
    const validationGroups = held === undefined ? undefined : readGroups(held);
    const manifest = await distilModel(
      { groups, validationGroups, model: given(options, 'model') },
      settings,
      call,
    );
    const { groups: count, candidates } = manifest.examples;
    return { manifest, learned: `${formatCount(candidates)} candidates of ${counted(count, 'group')}` };
  };
  const { manifest, learned } = await (on === 'text' ? trainText() : trainGroups()).finally(() =>
    reporter.done(),
  );
  await report(manifest.model, manifest, { out, started, learned, measure: lossMeasure }, io);
}

/** Writes the figure of the loss, and a line on what was trained. */
async function report(
  model: string,
  { history, best, steps }: Pick<TrainingManifest, 'history' | 'best' | 'steps'>,
  {
    out,
    started,
    learned,
    measure,
  }: {
    readonly out: string;
    readonly started: number;
    readonly learned: string;
    readonly measure: Measure;
  },
  io: Io,
): Promise<void> {
  await writeFileAtomic(
    join(out, 'loss.svg'),
    lossFigure(`Training ${model}, ${formatCount(steps)} steps`, history, measure),
  );
  const seconds = (performance.now() - started) / 1000;
  io.stderr.write(
    `bert-qe: ${formatCount(steps)} steps on ${learned}, ${formatDuration(seconds)}` +
      `${best ? `; best after step ${best.step}: ${measure} ${best.value.toFixed(4)}` : ''}\n`,
  );
  io.stdout.write(`${out}\n`);
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

/** Reports the progress of a training: a status line on a terminal, elsewhere a line now and then. */
class TrainReporter {
  readonly #line: StatusLine;
  #reported = 0;

  constructor(
    private readonly io: Io,
    private readonly measure: Measure,
  ) {
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

  done(): void {
    this.#line.clear();
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
