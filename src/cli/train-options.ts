import { usageError } from '../common/errors.js';
import { deviceNames, encoderSizes, sizeLetters } from '../bert/index.js';
import { omitUndefined } from '../common/omit-undefined.js';
import { cedrHeadRate, trainedMethods } from '../controls/index.js';
import { DEFAULTS } from '../expansion/index.js';
import {
  keptWeights,
  lossNames,
  optimiserNames,
  scheduleNames,
  trainingPrecisions,
  validationMeasure,
  type NewModel,
  type PhaseThreeInputs,
} from '../training/index.js';
import { OPTIONS, withoutDefault } from './option-table.js';
import {
  choice,
  flag,
  integer,
  number,
  pick,
  refuseUseless,
  text,
  valuesOf,
  without,
  type OptionSpecs,
  type OptionValues,
} from './options.js';

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

/** The options of a new model. */
const shapeOptions = {
  size: choice(sizeLetters, 'on text: size of a new model, with random weights'),
  layers: integer("on text: its layers, where they are not the size's", { min: 1, max: 1000 }),
  hidden: integer('on text: its hidden units', { min: 1 }),
  heads: integer('on text: its attention heads', { min: 1 }),
  positions: integer('on text: tokens of its longest sequence (512)', { min: 16 }),
  vocabulary: text('DIR', 'on text: folder with its vocab.txt or tokenizer.json'),
} as const;

/** The options of `--on text`. */
const textOptions = {
  corpus: text('PATH', 'on text: texts, a line each (.txt, .txt.gz), or a collection'),
  'validation-corpus': text('PATH', 'on text: other texts, by whose loss the best weights are chosen'),
  'masked-share': number('on text: share of the tokens that are masked (0.15)', { min: 0.001, max: 0.9 }),
  ...shapeOptions,
} as const;

/** The options of `--on groups`. */
const groupsOptions = {
  groups: text('FILE', "on groups: queries and candidates with a teacher's log-odds, a line of JSON each"),
  'validation-groups': text('FILE', 'on groups: others, by whose loss the best weights are chosen'),
} as const;

export const trainOptions = {
  method: choice(
    ['bert-qe', ...trainedMethods],
    'what the model is for: the phases of BERT-QE, or a system that it is compared with',
    { default: 'bert-qe' },
  ),
  index: OPTIONS.index,
  queries: { ...OPTIONS.queries, help: 'queries to train on; those without judgements are left out' },
  qrels: { ...OPTIONS.qrels, help: 'judgements: from level 1 on a document is relevant' },
  run: { ...OPTIONS.run, help: 'TREC run with the candidates of every query' },
  model: text('MODEL', 'the model to start from, by letter, name or path'),
  out: text('DIR', 'folder of the new model'),
  resume: flag('go on with what --out holds'),
  'validation-queries': text(
    'FILE',
    `other queries, by whose ${validationMeasure} the best weights are chosen`,
  ),
  epochs: number('how often every example is seen (2)', { min: 0 }),
  steps: integer('steps instead of epochs', { min: 1 }),
  batch: integer(
    'examples per step (32; of the residual loss 96 candidates; on text 256 sequences, on groups 256 candidates; ' +
      'CEDR-KNRM 16, NPRF-DRMM 20, SNRM 32 pairs)',
    { min: 1 },
  ),
  'learning-rate': number(
    'its peak, after the warm-up (1e-6; on text and groups 1e-4; CEDR-KNRM 2e-5, for BERT; NPRF-DRMM 1e-3; SNRM 3e-4)',
  ),
  'head-rate': number(`CEDR-KNRM: learning rate of the layer over kernels (${cedrHeadRate})`),
  'latent-terms': integer('SNRM: latent terms (2000)', { min: 1 }),
  penalty: number('SNRM: weight of the sum of activations, for sparsity (1e-3)', { min: 0 }),
  'weak-queries': integer('SNRM: queries that are made of the documents (3000)', { min: 1 }),
  warmup: number('share of the steps in which it rises', { min: 0, max: 1, default: 0.1 }),
  schedule: choice(
    scheduleNames,
    "course of the learning rate; bert: that of BERT's own code, as published; plateau: at its peak for a third",
    { default: 'linear' },
  ),
  optimiser: choice(optimiserNames, 'adam, or muon for the matrices of the layers and adam for all else', {
    default: 'adam',
  }),
  keep: choice(
    keptWeights,
    'weights that are kept: those of the best validation, or of the last step, as published',
    { default: 'best' },
  ),
  'max-length': OPTIONS['max-length'],
  dropout: number('share of activations that is dropped', { min: 0, max: 0.9, default: 0.1 }),
  seed: integer('all that is random follows from it', { min: 0, default: 1 }),
  loss: choice(
    lossNames,
    'each candidate by itself, a relevant one against others, or (on chunks) by the final score',
    { default: 'pointwise' },
  ),
  'group-size': integer('candidates that are compared (listwise and on groups 8, residual 24)', { min: 2 }),
  'loss-alpha': number('α in the residual loss (0.3)', { min: 0, max: 1 }),
  'loss-beta': number(`β in the residual loss (${DEFAULTS.beta})`, { min: 0, max: 1 }),
  on: choice(
    ['queries', 'chunks', 'text', 'groups'],
    'queries against passages; (for phase three) the chunks that phases one and two choose; text with masked words; or ' +
      "groups of candidates with a teacher's scores",
    { default: 'queries' },
  ),
  ...chunkOptions,
  ...textOptions,
  ...groupsOptions,
  depth: { ...OPTIONS.depth, help: 'candidates per query' },
  'validation-depth': integer('candidates per validation query (--depth)', { min: 1 }),
  candidates: integer('a random sample of so many per query (all)', { min: 1 }),
  negatives: integer('so many that are not relevant per relevant one (all)', { min: 1 }),
  teacher: text('MODEL', 'a model whose scores are imitated'),
  'teacher-weight': number("its share against the judgements' (0.5)", { min: 0, max: 1 }),
  'best-passage': {
    ...OPTIONS['best-passage'],
    help: "model that chooses the best passages (the model itself; on chunks, phase one's)",
  },
  ...pick(OPTIONS, 'passage-words', 'title-words'),
  'validate-every': integer('steps between two validations (a tenth of all)', { min: 1 }),
  patience: integer('validations without a better result after which it ends', { min: 1 }),
  'save-every': integer('steps between two checkpoints', { min: 1, default: 200 }),
  'batch-tokens': integer('tokens in memory at a time (2048; on cuda 16384)', { min: 1 }),
  threads: integer("threads (the processor's)", { min: 1 }),
  device: choice(deviceNames, 'where passes run', { default: 'cpu' }),
  precision: choice(trainingPrecisions, 'what passes are computed in (fp32; on cuda fp16)'),
} as const;

export type TrainValues = OptionValues<typeof trainOptions>;

/** The options of all models of other systems, besides those that name what is trained and where it goes. */
const commonOptions = pick(trainOptions, 'steps', 'batch', 'learning-rate', 'seed', 'save-every', 'threads');

/** The options of models that are trained on judged queries. */
export const controlOptions = {
  ...commonOptions,
  ...pick(trainOptions, 'depth', 'validation-depth', 'validate-every', 'patience'),
};

/** The options of SNRM, which is trained on documents alone. */
const latentOptions = pick(trainOptions, 'latent-terms', 'penalty', 'weak-queries');
export const snrmOptions = { ...commonOptions, ...latentOptions };

const outputOptions = pick(trainOptions, 'method', 'index', 'out', 'resume');
const inputOptions = {
  ...outputOptions,
  ...pick(trainOptions, 'queries', 'qrels', 'run', 'validation-queries'),
};

/** The options of trainings of BERT whose inputs are a file. */
const fileOptions = {
  ...pick(
    trainOptions,
    'method',
    'out',
    'resume',
    'on',
    'model',
    'epochs',
    'steps',
    'batch',
    'learning-rate',
    'warmup',
  ),
  ...pick(
    trainOptions,
    'schedule',
    'optimiser',
    'keep',
    'max-length',
    'dropout',
    'seed',
    'validate-every',
    'patience',
    'save-every',
  ),
  ...pick(trainOptions, 'batch-tokens', 'threads', 'device', 'precision'),
};

/** The options of each such training. */
const optionsOn: Readonly<Partial<Record<TrainValues['on'], OptionSpecs>>> = {
  text: { ...fileOptions, ...textOptions },
  groups: { ...fileOptions, ...groupsOptions, ...pick(trainOptions, 'group-size') },
};

const cedrOptions = pick(trainOptions, 'head-rate');

/** The options of each system. */
const ownOptions: Readonly<Record<TrainValues['method'], OptionSpecs>> = {
  'bert-qe': without(trainOptions, { ...cedrOptions, ...latentOptions }),
  'cedr-knrm': {
    ...inputOptions,
    ...controlOptions,
    ...pick(trainOptions, 'model', 'dropout'),
    ...cedrOptions,
  },
  'nprf-drmm': { ...inputOptions, ...controlOptions },
  snrm: { ...outputOptions, ...snrmOptions },
};

/** Refuses options that have no effect beside the others. */
export function refuseUselessOptions(options: TrainValues): void {
  const { method, on } = options;
  const refuseAllBut = (own: OptionSpecs, choice: string): void =>
    refuseUseless(without(trainOptions, own), options, `with ${choice}; leave it out.`);
  if (method !== 'bert-qe') return refuseAllBut(ownOptions[method], `--method ${method}`);
  refuseUseless(cedrOptions, options, 'without --method cedr-knrm; add that.');
  refuseUseless(latentOptions, options, 'without --method snrm; add that.');
  const own = optionsOn[on];
  if (own) return refuseAllBut(own, `--on ${on}`);
  refuseUseless(textOptions, options, 'without --on text; add that.');
  refuseUseless(groupsOptions, options, 'without --on groups; add that.');
}

/** The model that `--on text` starts from. */
export function startingModel(options: TrainValues): string | NewModel {
  const { model, size, positions, vocabulary } = options;
  if (model !== undefined) {
    refuseUseless(shapeOptions, options, 'with --model; leave it out.');
    return model;
  }
  const { layers, hidden, heads } = {
    ...(size && encoderSizes[size]),
    ...omitUndefined(valuesOf(pick(trainOptions, 'layers', 'hidden', 'heads'), options)),
  };
  if (layers === undefined || hidden === undefined || heads === undefined || vocabulary === undefined) {
    throw usageError(
      'train --on text needs --model, or --vocabulary and --size (or --layers, --hidden and --heads) of a new one; ' +
        'see bert-qe train --help.',
    );
  }
  return { layers, hidden, heads, positions, vocabulary };
}

/** The phases before the one that is trained; undefined with `--on queries`. */
export function phaseThreeInputs(options: TrainValues): PhaseThreeInputs | undefined {
  if (options.on === 'queries') {
    refuseUseless(chunkOptions, options, 'without --on chunks.');
    return undefined;
  }
  if (options.validationDepth !== undefined) {
    throw usageError(
      '--validation-depth has no effect with --on chunks: --depth documents of every query are re-ranked.',
    );
  }
  const { phase1: phaseOne = 'S', phase2: phaseTwo = phaseOne, depth } = options;
  const { kd, kc, chunkWords, alpha, beta } = {
    ...DEFAULTS,
    ...omitUndefined(valuesOf(chunkOptions, options)),
  };
  return { phaseOne, phaseTwo, kd, kc, chunkWords, depth, combination: { alpha, beta } };
}
