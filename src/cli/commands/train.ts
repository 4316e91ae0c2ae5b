import { join } from 'node:path';
import { deviceNames } from '../../bert/index.js';
import { readQueries, readRun, type Query } from '../../collection/index.js';
import { BertQeError } from '../../common/errors.js';
import { DEFAULTS } from '../../expansion/index.js';
import { writeFileAtomic } from '../../common/atomic.js';
import { Index } from '../../retrieval/index.js';
import {
  keptWeights,
  lossFigure,
  lossNames,
  scheduleNames,
  trainingPrecisions,
  trainModel,
  validationMeasure,
  type PhaseThreeInputs,
  type TrainingManifest,
  type TrainProgress,
} from '../../training/index.js';
import { cedrHeadRate, trainedMethods } from '../../controls/index.js';
import { refuseForControl, trainControl } from '../train-control.js';
import { judgementsFrom } from '../collection-options.js';
import { defineCommand, type Io } from '../command.js';
import { counted, formatCount, formatDuration } from '../format.js';
import { OPTIONS, pick, withoutDefault } from '../option-table.js';
import { usageError, type OptionSpecs, type OptionValues } from '../options.js';
import { StatusLine } from '../progress.js';

/** The options of `--on chunks`, without defaults: they are refused without it. */
const chunkOptions = {
  phase1: { ...OPTIONS.phase1, help: "on chunks: phase one's model (S)" },
  phase2: { ...OPTIONS.phase2, help: "on chunks: phase two's model (phase one's)" },
  kd: withoutDefault(OPTIONS.kd, `on chunks: feedback documents (${DEFAULTS.kd})`),
  kc: withoutDefault(OPTIONS.kc, `on chunks: chunks of a query (${DEFAULTS.kc})`),
  'chunk-words': withoutDefault(
    OPTIONS['chunk-words'],
    `on chunks: words of a chunk (${DEFAULTS.chunkWords})`,
  ),
  alpha: withoutDefault(
    OPTIONS.alpha,
    `on chunks: α by which validation queries are ranked (${DEFAULTS.alpha})`,
  ),
  beta: withoutDefault(
    OPTIONS.beta,
    `on chunks: β by which validation queries are ranked (${DEFAULTS.beta})`,
  ),
} as const;

const options = {
  method: {
    type: 'string',
    choices: ['bert-qe', ...trainedMethods],
    default: 'bert-qe',
    help: 'what the model is for: the phases of BERT-QE, or a system that it is compared with',
  },
  index: OPTIONS.index,
  queries: { ...OPTIONS.queries, help: 'queries to train on; those without judgements are left out' },
  qrels: { ...OPTIONS.qrels, help: 'judgements: from level 1 on a document is relevant' },
  run: { ...OPTIONS.run, help: 'TREC run with the candidates of every query' },
  model: { type: 'string', value: 'MODEL', help: 'the model to start from, by letter, name or path' },
  out: { type: 'string', value: 'DIR', help: 'folder of the new model' },
  resume: { type: 'boolean', help: 'go on with what --out holds' },
  'validation-queries': {
    type: 'string',
    value: 'FILE',
    help: `other queries, by whose ${validationMeasure} the best weights are chosen`,
  },
  epochs: { type: 'number', min: 0, help: 'how often every example is seen (2)' },
  steps: { type: 'integer', min: 1, help: 'steps instead of epochs' },
  batch: {
    type: 'integer',
    min: 1,
    help: 'examples per step (32; of the residual loss 96 candidates; CEDR-KNRM 16, NPRF-DRMM 20 pairs)',
  },
  'learning-rate': {
    type: 'number',
    help: 'its peak, after the warm-up (1e-6; CEDR-KNRM 2e-5, for BERT; NPRF-DRMM 1e-3)',
  },
  'head-rate': {
    type: 'number',
    help: `CEDR-KNRM: learning rate of the layer over kernels (${cedrHeadRate})`,
  },
  warmup: { type: 'number', min: 0, max: 1, default: 0.1, help: 'share of the steps in which it rises' },
  schedule: {
    type: 'string',
    choices: scheduleNames,
    default: 'linear',
    help: "course of the learning rate; bert: that of BERT's own code, as published",
  },
  keep: {
    type: 'string',
    choices: keptWeights,
    default: 'best',
    help: 'weights that are kept: those of the best validation, or of the last step, as published',
  },
  'max-length': OPTIONS['max-length'],
  dropout: { type: 'number', min: 0, max: 0.9, default: 0.1, help: 'share of activations that is dropped' },
  seed: { type: 'integer', min: 0, default: 1, help: 'all that is random follows from it' },
  loss: {
    type: 'string',
    choices: lossNames,
    default: 'pointwise',
    help: 'each candidate by itself, a relevant one against others, or (on chunks) by the final score',
  },
  'group-size': {
    type: 'integer',
    min: 2,
    help: 'candidates that the listwise (8) or residual (24) loss compares',
  },
  'loss-alpha': { type: 'number', min: 0, max: 1, help: 'α in the residual loss (0.3)' },
  'loss-beta': { type: 'number', min: 0, max: 1, help: `β in the residual loss (${DEFAULTS.beta})` },
  on: {
    type: 'string',
    choices: ['queries', 'chunks'],
    default: 'queries',
    help: 'queries against passages, or (for phase three) the chunks that phases one and two choose',
  },
  ...chunkOptions,
  depth: { ...OPTIONS.depth, help: 'candidates per query' },
  'validation-depth': { type: 'integer', min: 1, help: 'candidates per validation query (--depth)' },
  candidates: { type: 'integer', min: 1, help: 'a random sample of so many per query (all)' },
  negatives: { type: 'integer', min: 1, help: 'so many that are not relevant per relevant one (all)' },
  teacher: { type: 'string', value: 'MODEL', help: 'a model whose scores are imitated' },
  'teacher-weight': { type: 'number', min: 0, max: 1, help: "its share against the judgements' (0.5)" },
  'best-passage': {
    ...OPTIONS['best-passage'],
    help: "model that chooses the best passages (the model itself; on chunks, phase one's)",
  },
  ...pick('passage-words', 'title-words'),
  'validate-every': { type: 'integer', min: 1, help: 'steps between two validations (a tenth of all)' },
  patience: { type: 'integer', min: 1, help: 'validations without a better result after which it ends' },
  'save-every': { type: 'integer', min: 1, default: 200, help: 'steps between two checkpoints' },
  'batch-tokens': { type: 'integer', min: 1, help: 'tokens in memory at a time (2048; on cuda 16384)' },
  threads: { type: 'integer', min: 1, help: "threads (the processor's)" },
  device: { type: 'string', choices: deviceNames, default: 'cpu', help: 'where passes run' },
  precision: {
    type: 'string',
    choices: trainingPrecisions,
    help: 'what passes are computed in (fp32; on cuda fp16)',
  },
} as const;

type Values = OptionValues<typeof options>;
const specs: OptionSpecs = options;

/** The options that name what is trained and where it goes, for all methods. */
const sourceOptionNames = [
  'method',
  'index',
  'queries',
  'qrels',
  'run',
  'out',
  'resume',
  'validation-queries',
] as const;

export const trainCommand = defineCommand({
  name: 'train',
  summary: "Fine-tune a model on the candidates of a collection's queries; the result is a model folder.",
  options,
  examples: [
    'bert-qe train --index cranfield.index --queries queries.jsonl --qrels qrels.txt --run dph-kl.run --model S --out s-cranfield',
    'bert-qe train … --epochs 1 --candidates 100 --learning-rate 2e-5 --validation-queries valid.jsonl --patience 3',
    'bert-qe train … --model T --on chunks --phase1 S --loss residual --depth 100 --learning-rate 2e-4 --steps 150',
    'bert-qe train … --method cedr-knrm --model S --steps 400 --validation-queries valid.jsonl --out cedr',
    'bert-qe train … --method nprf-drmm --steps 2000 --out nprf',
    'bert-qe train … --resume',
  ],
  async run({ options, io }) {
    const needed = (name: 'index' | 'queries' | 'qrels' | 'run' | 'model' | 'out'): string => {
      const value = options[name];
      if (value !== undefined) return value;
      throw usageError(`train needs --${name}; see bert-qe train --help.`);
    };
    if (options.method === 'bert-qe' && options['head-rate'] !== undefined) {
      throw usageError('--head-rate has no effect without --method cedr-knrm; add that.');
    }
    if (options.method !== 'bert-qe') refuseForControl(options.method, options, specs, sourceOptionNames);
    const [folder, queriesFile, qrelsFile, runFile] = [
      needed('index'),
      needed('queries'),
      needed('qrels'),
      needed('run'),
    ];
    const out = needed('out');
    // NPRF-DRMM starts from no model.
    const model = options.method === 'nprf-drmm' ? 'NPRF-DRMM' : needed('model');
    if (options['teacher-weight'] !== undefined && options.teacher === undefined) {
      throw usageError('--teacher-weight has no effect without --teacher MODEL.');
    }
    const phaseThree = phaseThreeInputs(options);
    const qrels = await judgementsFrom(qrelsFile, io);
    const judged = async (file: string): Promise<Query[]> => {
      const all = await readQueries(file);
      const some = all.filter(({ id }) => qrels.has(id));
      if (some.length === 0) {
        throw new BertQeError(
          'input',
          `${qrelsFile}: none of the ${all.length} queries of ${file} is judged; give the judgements of these queries.`,
        );
      }
      note(io, all.length - some.length, file);
      return some;
    };
    const queries = await judged(queriesFile);
    const { 'validation-queries': validationFile } = options;
    const validationQueries = validationFile === undefined ? undefined : await judged(validationFile);
    const run = await readRun(runFile);
    const index = Index.open(folder);
    const reporter = new TrainReporter(io);
    const started = performance.now();
    const collected = {
      queries,
      qrels,
      run,
      validationQueries,
    };
    const call = {
      out,
      resume: options.resume,
      signal: io.signal,
      onProgress: (progress: TrainProgress) => reporter.update(progress),
    };
    const trainNow = (): Promise<TrainingManifest> => {
      if (options.method !== 'bert-qe') {
        return trainControl(options.method, model, collected, index, options, {
          ...call,
          onProgress: (progress) => reporter.update({ phase: 'training', ...progress }),
          onVectors: (done, total) => reporter.update({ phase: 'vectors', done, total }),
        });
      }
      return trainModel(
        {
          ...collected,
          documents: index,
          documentsKey: index.manifest.digest,
          model,
          teacher: options.teacher,
          passageModel: options['best-passage'],
          phaseThree,
        },
        {
          batch: options.batch,
          learningRate: options['learning-rate'],
          warmup: options.warmup,
          schedule: options.schedule,
          keep: options.keep,
          maxLength: options['max-length'],
          dropout: options.dropout,
          seed: options.seed,
          loss: options.loss,
          depth: options.depth,
          validationDepth: options['validation-depth'],
          passageWords: options['passage-words'],
          titleWords: options['title-words'],
          saveEvery: options['save-every'],
          batchTokens: options['batch-tokens'],
          epochs: options.epochs,
          steps: options.steps,
          groupSize: options['group-size'],
          lossAlpha: options['loss-alpha'],
          lossBeta: options['loss-beta'],
          candidates: options.candidates,
          negatives: options.negatives,
          teacherWeight: options['teacher-weight'],
          validateEvery: options['validate-every'],
          patience: options.patience,
          threads: options.threads,
          device: options.device,
          precision: options.precision,
        },
        call,
      );
    };
    try {
      const { history, best, steps, examples } = await trainNow().finally(() => reporter.done());
      await writeFileAtomic(
        join(out, 'loss.svg'),
        lossFigure(`Training ${model}, ${formatCount(steps)} steps`, history, validationMeasure),
      );
      const seconds = (performance.now() - started) / 1000;
      io.stderr.write(
        `bert-qe: ${formatCount(steps)} steps on ${formatCount(examples.relevant)} relevant and ` +
          `${formatCount(examples.others)} other ${phaseThree ? 'pairs' : 'candidates'}, ${formatDuration(seconds)}` +
          `${best ? `; best after step ${best.step}: ${validationMeasure} ${best.value.toFixed(4)}` : ''}\n`,
      );
      io.stdout.write(`${out}\n`);
    } finally {
      await index.close();
    }
  },
});

function note(io: Io, count: number, file: string): void {
  if (count === 0) return;
  io.stderr.write(`bert-qe: ${counted(count, 'query')} of ${file} without judgements left out\n`);
}

/** The phases before the one that is trained; undefined with `--on queries`. */
function phaseThreeInputs(options: Values): PhaseThreeInputs | undefined {
  if (options.on === 'queries') {
    const stray = Object.keys(chunkOptions).find(
      (name) => options[name as keyof typeof chunkOptions] !== undefined,
    );
    if (stray === undefined) return undefined;
    throw usageError(`--${stray} has no effect without --on chunks.`);
  }
  if (options['validation-depth'] !== undefined) {
    throw usageError(
      '--validation-depth has no effect with --on chunks: --depth documents of every query are re-ranked.',
    );
  }
  const phaseOne = options.phase1 ?? 'S';
  return {
    phaseOne,
    phaseTwo: options.phase2 ?? phaseOne,
    kd: options.kd ?? DEFAULTS.kd,
    kc: options.kc ?? DEFAULTS.kc,
    chunkWords: options['chunk-words'] ?? DEFAULTS.chunkWords,
    depth: options.depth,
    combination: { alpha: options.alpha ?? DEFAULTS.alpha, beta: options.beta ?? DEFAULTS.beta },
  };
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

  update(progress: TrainProgress | VectorProgress): void {
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

/** The progress of word vectors, before a training that needs them. */
interface VectorProgress {
  readonly phase: 'vectors';
  readonly done: number;
  readonly total: number;
}

function describe(progress: TrainProgress | VectorProgress): string {
  if (progress.phase === 'vectors') {
    return `word vectors: ${Math.floor((100 * progress.done) / progress.total)}%`;
  }
  if (progress.phase === 'passages') {
    return `best passages: ${formatCount(progress.done)} of ${formatCount(progress.total)} queries`;
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
