import { join } from 'node:path';
import { readQrels, readQueries, readRun, type Qrels, type Query } from '../../collection/index.js';
import { writeFileAtomic } from '../../common/atomic.js';
import { inputError, usageError } from '../../common/errors.js';
import { trainCedr, trainNprf, trainSnrm } from '../../controls/index.js';
import { Index } from '../../retrieval/index.js';
import {
  lossFigure,
  trainingOptionNames,
  trainModel,
  validationMeasure,
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
  trainOptions,
} from '../train-options.js';

export const trainCommand = defineCommand({
  name: 'train',
  summary: "Fine-tune a model on the candidates of a collection's queries; the result is a model folder.",
  options: trainOptions,
  examples: [
    'bert-qe train --index cranfield.index --queries queries.jsonl --qrels qrels.txt --run dph-kl.run --model S --out s-cranfield',
    'bert-qe train … --epochs 1 --candidates 100 --learning-rate 2e-5 --validation-queries valid.jsonl --patience 3',
    'bert-qe train … --model T --on chunks --phase1 S --loss residual --depth 100 --learning-rate 2e-4 --steps 150',
    'bert-qe train … --method cedr-knrm --model S --steps 400 --validation-queries valid.jsonl --out cedr',
    'bert-qe train … --method nprf-drmm --steps 2000 --out nprf',
    'bert-qe train --method snrm --index notes.index --out snrm',
    'bert-qe train … --resume',
  ],
  async run({ options, io }) {
    const needed = (name: 'index' | 'queries' | 'qrels' | 'run' | 'model' | 'out'): string => {
      const value = options[name];
      if (value !== undefined) return value;
      throw usageError(`train needs --${name}; see bert-qe train --help.`);
    };
    const { method, validationQueries: validationFile, resume } = options;
    refuseUselessOptions(options);
    const folder = needed('index');
    if (method !== 'snrm') (['queries', 'qrels', 'run'] as const).forEach(needed);
    const out = needed('out');
    const reporter = new TrainReporter(io);
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
        const seconds = (performance.now() - started) / 1000;
        await report(title, manifest, { out, seconds, what }, io);
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
          const values = Object.fromEntries(trainingOptionNames.map((name) => [name, options[name]]));
          return trainModel(inputs, values as TrainingOptions, call);
        }
      }
    };
    await finish(index, model, train, phaseThree ? 'pairs' : 'candidates');
  },
});

/** Writes the figure of the loss, and a line on what was trained. */
async function report(
  model: string,
  { history, best, steps, examples }: TrainingManifest,
  { out, seconds, what }: { readonly out: string; readonly seconds: number; readonly what: string },
  io: Io,
): Promise<void> {
  await writeFileAtomic(
    join(out, 'loss.svg'),
    lossFigure(`Training ${model}, ${formatCount(steps)} steps`, history, validationMeasure),
  );
  io.stderr.write(
    `bert-qe: ${formatCount(steps)} steps on ${formatCount(examples.relevant)} relevant and ` +
      `${formatCount(examples.others)} other ${what}, ${formatDuration(seconds)}` +
      `${best ? `; best after step ${best.step}: ${validationMeasure} ${best.value.toFixed(4)}` : ''}\n`,
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

  constructor(private readonly io: Io) {
    this.#line = new StatusLine(io);
  }

  update(progress: TrainProgress | PartProgress): void {
    this.#line.show(() => describe(progress));
    if (this.#line.isTerminal || progress.phase !== 'training') return;
    const done = progress.step / progress.steps;
    if (done < this.#reported + reportedShare && progress.step < progress.steps) return;
    this.#reported = Math.floor(done / reportedShare) * reportedShare;
    this.io.stderr.write(`${describe(progress)}\n`);
  }

  done(): void {
    this.#line.clear();
  }
}

/** The progress of what comes before and after the steps of a training. */
interface PartProgress {
  readonly phase: 'word vectors' | 'made queries' | 'index of latent terms';
  readonly done: number;
  readonly total: number;
}

function describe(progress: TrainProgress | PartProgress): string {
  if (progress.phase === 'passages') {
    return `best passages: ${formatCount(progress.done)} of ${formatCount(progress.total)} queries`;
  }
  if (progress.phase !== 'training') {
    return `${progress.phase}: ${Math.floor((100 * progress.done) / progress.total)}%`;
  }
  const { step, steps, smoothedLoss, learningRate, examplesPerSecond, secondsLeft, validation } = progress;
  return [
    `step ${formatCount(step)} of ${formatCount(steps)}`,
    `loss ${smoothedLoss.toFixed(4)}`,
    `learning rate ${learningRate.toExponential(1)}`,
    `${formatCount(examplesPerSecond)} examples/s`,
    ...(validation ? [`${validationMeasure} ${validation.value.toFixed(4)} at step ${validation.step}`] : []),
    `${formatDuration(secondsLeft)} left`,
  ].join(' · ');
}
