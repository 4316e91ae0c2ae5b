import { join } from 'node:path';
import { readQrels, readQueries, readRun, type Qrels, type Query } from '../../collection/index.js';
import { writeFileAtomic } from '../../common/atomic.js';
import { closing } from '../../common/closing.js';
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
import { valuesOf } from '../options.js';
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
    if (options.on === 'text' || options.on === 'groups') await trainOnFile(options.on, options, io);
    else await trainOnIndex(options, io);
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

/** What a training gives back: the name of its model, its course, and what it learned from in words. */
interface Trained {
  readonly model: string;
  readonly manifest: Pick<TrainingManifest, 'history' | 'best' | 'steps'>;
  readonly learned: string;
}

/** Trains with a status line; then writes the figure of the loss, and a line on what was trained. */
async function reportTraining(
  options: TrainValues,
  measure: Measure,
  io: Io,
  train: (
    call: { readonly out: string; readonly resume: boolean; readonly signal: AbortSignal },
    show: (progress: TrainProgress | PartProgress) => void,
  ) => Promise<Trained>,
): Promise<void> {
  const out = given(options, 'out');
  const started = performance.now();
  const reporter = new TrainReporter(io, measure);
  const call = { out, resume: options.resume, signal: io.signal };
  const trained = train(call, (progress) => reporter.update(progress));
  const { model, manifest, learned } = await trained.finally(() => reporter.done());
  const { history, best, steps } = manifest;
  const figure = lossFigure(`Training ${model}, ${formatCount(steps)} steps`, history, measure);
  await writeFileAtomic(join(out, 'loss.svg'), figure);
  const seconds = (performance.now() - started) / 1000;
  io.stderr.write(
    `bert-qe: ${formatCount(steps)} steps on ${learned}, ${formatDuration(seconds)}` +
      `${best ? `; best after step ${best.step}: ${measure} ${best.value.toFixed(4)}` : ''}\n`,
  );
  io.stdout.write(`${out}\n`);
}

/** Trains on a file: masked words of text, or groups with a teacher's scores. */
async function trainOnFile(on: 'text' | 'groups', options: TrainValues, io: Io): Promise<void> {
  await reportTraining(options, lossMeasure, io, async (call, show) => {
    const what = on === 'text' ? 'word pieces' : 'groups';
    const onProgress = (progress: LossTrainingProgress): void =>
      show(progress.phase === 'reading' ? { phase: what, done: progress.done } : progress);
    const { loss: _, ...settings } = trainingOptions(options, on === 'text' ? 'masked' : 'distilled');
    if (on === 'text') {
      const texts = readTexts(given(options, 'corpus'));
      const { validationCorpus: held } = options;
      const validationTexts = held === undefined ? undefined : readTexts(held);
      const inputs = { texts, validationTexts, model: startingModel(options) };
      const manifest = await pretrainModel(inputs, settings, { ...call, onProgress });
      const { model, examples } = manifest;
      return { model, manifest, learned: `${formatCount(examples.pieces)} word pieces` };
    }
    const groups = readGroups(given(options, 'groups'));
    const { validationGroups: held } = options;
    const validationGroups = held === undefined ? undefined : readGroups(held);
    const inputs = { groups, validationGroups, model: given(options, 'model') };
    const manifest = await distilModel(inputs, settings, { ...call, onProgress });
    const { model, examples } = manifest;
    const learned = `${formatCount(examples.candidates)} candidates of ${counted(examples.groups, 'group')}`;
    return { model, manifest, learned };
  });
}

/** Trains on the documents of an index: SNRM on these alone, all others on the candidates of judged queries. */
async function trainOnIndex(options: TrainValues, io: Io): Promise<void> {
  const { method } = options;
  const needed = method === 'snrm' ? (['index'] as const) : (['index', 'queries', 'qrels', 'run'] as const);
  for (const name of needed) given(options, name);
  await reportTraining(options, validationMeasure, io, async (call, show) => {
    const onPart =
      (phase: PartProgress['phase']) =>
      (done: number, total: number): void =>
        show({ phase, done, total });
    const controlCall = {
      ...call,
      onProgress: (progress: StepProgress) => show({ phase: 'training', ...progress }),
      onVectors: onPart('word vectors'),
    };
    if (method === 'snrm') {
      const latentCall = {
        ...controlCall,
        onWeakQueries: onPart('made queries'),
        onIndex: onPart('index of latent terms'),
      };
      return closing(Index.open(given(options, 'index')), async (index) =>
        trained('SNRM', await trainSnrm(index, valuesOf(snrmOptions, options), latentCall)),
      );
    }
    // NPRF-DRMM starts from no model.
    const model = method === 'nprf-drmm' ? 'NPRF-DRMM' : given(options, 'model');
    const phaseThree = phaseThreeInputs(options);
    const judged = await judgedInputs(options, io);
    return closing(Index.open(given(options, 'index')), async (index) => {
      const settings = valuesOf(controlOptions, options);
      const inputs = { ...judged, documents: index, documentsKey: index.manifest.digest };
      switch (method) {
        case 'cedr-knrm': {
          const { headRate, dropout } = options;
          const own = { ...settings, headRate, dropout };
          return trained(model, await trainCedr(model, inputs, own, controlCall));
        }
        case 'nprf-drmm':
          return trained(model, await trainNprf({ ...judged, index }, settings, controlCall));
        case 'bert-qe': {
          const { teacher, bestPassage: passageModel } = options;
          const manifest = await trainModel(
            { ...inputs, model, teacher, passageModel, phaseThree },
            trainingOptions(options),
            { ...call, onProgress: show },
          );
          return trained(model, manifest, phaseThree ? 'pairs' : 'candidates');
        }
      }
    });
  });
}

/** A training on relevant candidates and others. */
function trained(model: string, manifest: TrainingManifest, what = 'candidates'): Trained {
  const { relevant, others } = manifest.examples;
  return {
    model,
    manifest,
    learned: `${formatCount(relevant)} relevant and ${formatCount(others)} other ${what}`,
  };
}

/** The queries that are judged, for training and for validation, with their judgements and candidates. */
async function judgedInputs(options: TrainValues, io: Io) {
  const file = given(options, 'qrels');
  const qrels = await readQrels(file, { onGuess: guessReporter(io) });
  const queries = await judgedQueries(given(options, 'queries'), qrels, file, io);
  const { validationQueries: held } = options;
  const validationQueries = held === undefined ? undefined : await judgedQueries(held, qrels, file, io);
  return { queries, qrels, run: await readRun(given(options, 'run')), validationQueries };
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
