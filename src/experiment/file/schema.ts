import { z } from 'zod';
import { deviceNames, precisionNames, sizeLetters } from '../../bert/index.js';
import { documentFormats, elementChoices, topicFields } from '../../collection/index.js';
import { parseVariant, passageChoices, PUBLISHED } from '../../expansion/index.js';
import { reasonOf } from '../../common/errors.js';
import {
  DEFAULT_MEASURES,
  parseMeasure,
  publishedAlphas,
  publishedBetas,
  testNames,
  tuningModes,
} from '../../evaluation/index.js';
import { isScorerAddress } from '../../remote/index.js';
import {
  conflictOf,
  trainingChoices,
  type TrainingNumberName,
  trainingNumbers,
} from '../../training/index.js';
import { expandVariables } from './paths.js';
import { parseControl, parseFirstStage } from './system-names.js';

/** The schema with a check that throws; its message is reported at the value's place in the file. */
function checked<T extends z.ZodType>(schema: T, check: (value: z.output<T>) => unknown): T {
  return schema.superRefine((value, context) => {
    try {
      check(value as z.output<T>);
    } catch (error) {
      context.addIssue({ code: 'custom', message: reasonOf(error) });
    }
  }) as T;
}

/** A list that is not empty, and what it is where it is left out. */
function list<T extends z.ZodType<string | number>>(element: T, usual: readonly z.output<T>[]) {
  return z
    .array<T>(element)
    .min(1)
    .default([...usual]);
}

/** A path; `${NAME}` stands for an environment variable, which must be set. */
const path = checked(z.string().min(1), expandVariables);
const paths = z.union([path, z.array(path).min(1)]);
const count = z.int().min(1);
const share = z.number().min(0).max(1);
const measure = checked(z.string(), parseMeasure);

/** A BERT-QE variant: three letters, a size per phase. */
const variant = checked(z.string(), (name) => {
  if (!parseVariant(name).expansion)
    throw new Error(`"${name}" has one size; a variant has three, such as LMT`);
});

const baseline = checked(z.string(), (name) => {
  if (isMaxP(name) || parseFirstStage(name) || parseControl(name)) return;
  throw new Error(
    `"${name}" is not a baseline; write a first stage (DPH, BM25+RM3, …), a size (S, BERT-Small), MaxP, ` +
      'which stands for the first size of every variant, or a control (Birch-S, CEDR-KNRM-S, NPRF-DRMM, SNRM, SNRM+PRF)',
  );
});

/** True for `MaxP`, which stands for all sizes of phase one, and for a size's letter or name. */
function isMaxP(name: string): boolean {
  if (name.toLowerCase() === 'maxp') return true;
  try {
    return parseVariant(name).expansion === undefined;
  } catch {
    return false;
  }
}

const collection = z.strictObject({
  /** A file or folder of documents that `bert-qe index` reads. */
  documents: path,
  format: z.enum(['auto', ...documentFormats]).default('auto'),
  /** `in-text`: a title is the beginning of its document's text, as with GOV2's pages in the paper. */
  titles: z.enum(['apart', 'in-text']).default('apart'),
  /** The elements of TREC SGML that are searched; `of-analyzer`: those of Terrier or Anserini, whose analysis an index has. */
  elements: z.enum([...elementChoices, 'of-analyzer']).default('text'),
  /** Documents whose id begins with one of these are left out. */
  leaveOut: z.array(z.string().min(1)).optional(),
  count: count.optional(),
  /** Needed where they are not in the folder of the documents; several files count as one. */
  queries: paths.optional(),
  queryField: z.enum(topicFields).default('title'),
  qrels: paths.optional(),
});

const index = z
  .strictObject({
    /** `auto`: Terrier's analysis for DPH, Anserini's for BM25 and QL. */
    analyzer: z.enum(['auto', 'terrier', 'anserini', 'plain']).default('auto'),
    /** An index of the documents made by `bert-qe index`; all first stages use it. */
    folder: path.optional(),
  })
  .refine(({ analyzer, folder }) => folder === undefined || analyzer === 'auto', {
    error: 'an index that is given has its analysis already; leave "analyzer" out',
    path: ['analyzer'],
  });

const firstStage = checked(z.string(), (name) => {
  if (!parseFirstStage(name)) {
    throw new Error(
      `"${name}" is not a first stage; write DPH, BM25 or QL, with +KL, +Bo1 or +RM3 where wanted`,
    );
  }
});

/** A ranking that is given as a TREC run; it has a row of its own in the tables. */
const givenRun = z.strictObject({ name: z.string().min(1), run: path });

const initial = z.union([
  firstStage,
  givenRun.extend({ name: givenRun.shape.name.default('Initial ranking') }),
]);

/**
 * A path, the name of published folds, or queries in order, dealt out. Without `of: judged` all topics are dealt, as the
 * authors did: one without judgements takes a place in its partition.
 */
const folds = z.union([
  path,
  z.strictObject({ roundRobin: z.int().min(2), of: z.enum(['topics', 'judged']).default('topics') }),
]);

/** One model for all phases, or the authors' mixture of a general and a fine-tuned model. */
const model = z.union([
  path,
  z.strictObject({
    /** Chooses best passages and chunks. */
    general: path,
    /** Scores documents in phases one and three; `{fold}` stands for the number of the fold, from 1. */
    fineTuned: path,
    /** The folds that the fine-tuned models were trained in, where they are not those of the experiment. */
    trainedIn: path.optional(),
  }),
]);

const method = z.strictObject({
  kd: count.default(PUBLISHED.kd),
  kc: count.default(PUBLISHED.kc),
  chunkWords: count.default(PUBLISHED.chunkWords),
  /** The most word pieces of a chunk in phase two. */
  chunkPieces: count.optional(),
  passageWords: count.default(PUBLISHED.passageWords),
  titleWords: z.int().min(0).default(PUBLISHED.titleWords),
  /** The way to the best passages. */
  passageChoice: z.enum(passageChoices).default(PUBLISHED.passageChoice),
});

const tuning = z.strictObject({
  mode: z.enum(tuningModes).default('in-turn'),
  measure: measure.default('nDCG@20'),
  tieBreak: measure.default('AP@100'),
  /** Decimals to which both are rounded before they are compared. */
  decimals: z.int().min(1).max(15).optional(),
  alphas: list(share, publishedAlphas),
  betas: list(share, publishedBetas),
});

/** The first texts of the pairs to train on. */
const trainedOn = ['queries', 'chunks'] as const;

/** Numeric options of a training, with the ranges that training has. */
function numbers<Name extends TrainingNumberName>(...names: readonly Name[]) {
  const schemas = names.map((name) => {
    const { min, max, isWhole } = trainingNumbers[name];
    return [name, (isWhole ? z.int() : z.number()).min(min).max(max).optional()];
  });
  return Object.fromEntries(schemas) as Readonly<Record<Name, z.ZodOptional<z.ZodNumber>>>;
}

/**
 * Fine-tuning in every fold. Defaults are the paper's, or follow from `depth` and `method`. Its own `depth` is the number
 * of candidates from the top of the initial ranking (all; on chunks those that are re-ranked). The teacher is the
 * untrained model.
 */
const trainingOptions = z.strictObject({
  /** `queries` trains the models of phases one and three; `chunks` trains phase three alone. */
  on: z.enum(trainedOn).optional(),
  epochs: z.number().min(0.001).optional(),
  ...numbers('steps', 'batch', 'learningRate', 'warmup'),
  schedule: z.enum(trainingChoices.schedule).optional(),
  optimiser: z.enum(trainingChoices.optimiser).optional(),
  keep: z.enum(trainingChoices.keep).optional(),
  ...numbers('maxLength', 'dropout', 'seed'),
  loss: z.enum(trainingChoices.loss).optional(),
  ...numbers('groupSize', 'lossAlpha', 'lossBeta', 'depth', 'candidates', 'negatives', 'teacherWeight'),
  ...numbers('validateEvery', 'patience'),
});

const training = z.union([
  trainingOptions,
  z.literal(['off', false], { error: () => 'write off, or the options of training, such as { epochs: 2 }' }),
]);

/** The training of a control in every fold; or the folder of its models, where `{fold}` stands for the fold's number. */
const controlTraining = z.strictObject({
  model: path.optional(),
  ...numbers('steps', 'batch', 'learningRate', 'seed', 'depth', 'validateEvery', 'patience'),
});

const controls = z.strictObject({
  'CEDR-KNRM': controlTraining
    .extend({ headRate: numbers('learningRate').learningRate, ...numbers('dropout') })
    .optional(),
  'NPRF-DRMM': controlTraining.optional(),
  /** Trained once, on the documents alone. */
  SNRM: controlTraining
    .omit({ depth: true, validateEvery: true, patience: true })
    .extend({
      latentTerms: count.optional(),
      penalty: z.number().min(0).optional(),
      weakQueries: count.optional(),
    })
    .optional(),
});

const ablationNames = ['dropQueryScore', 'chunksFromInitial'] as const;

const ablations = z.strictObject({
  of: variant,
  which: list(z.enum(ablationNames), ablationNames),
});

const grid = z.strictObject({
  of: variant,
  kc: list(count, [5, 10, 20]),
  chunkWords: list(count, [5, 10, 20]),
});

const significance = z.strictObject({
  /** Baselines that the others are tested against: MaxP of the first variant's phase one. */
  against: z.array(z.string()).min(1).optional(),
  test: z.enum(testNames).default('t'),
  correction: z.enum(['none', 'holm', 'bonferroni']).default('none'),
});

/** A published value, with its stars of significance: `0.4888`, `0.4888***`. */
const publishedValue = z.union([
  z.number(),
  z.string().regex(/^\d*\.?\d+\*{0,3}$/, 'expected a number, with up to three stars behind it'),
]);

const published = z.strictObject({
  source: z.string().min(1),
  systems: z.record(z.string(), z.record(measure, publishedValue)).default({}),
  /** α and β of the first variant, by fold. */
  interpolation: z.array(z.strictObject({ alpha: share, beta: share })).optional(),
});

const name = z
  .string()
  .regex(/^\w[\w.-]*$/, 'expected a name of letters, digits, ".", "_" and "-", not beginning with a dot');

/** The name of a collection, which is also the name of a folder beside the study's own. */
const collectionName = name.refine((value) => value !== 'tables' && value !== 'figures', {
  error: 'is the name of a folder of results; name the collection otherwise',
});

/** Values by name of the collection. */
function byCollection<T extends z.ZodType>(value: T, what: string) {
  return z.record(collectionName, value).refine((all) => Object.keys(all).length > 0, {
    error: `name at least one ${what}`,
  });
}

/** The fields of an experiment file, described in docs/experiments.md. */
const fields = z.strictObject({
  name,
  title: z.string().optional(),
  /** All settings as the authors' code has them; preset.ts fills them in before the file is checked. */
  preset: z.literal('as-published').optional(),
  collection,
  index: index.prefault({}),
  initial: initial.default('DPH+KL'),
  /** Documents per query of the initial ranking and of the baselines. */
  retrieve: count.default(PUBLISHED.depth),
  /** Documents per query that are re-ranked. */
  depth: count.default(PUBLISHED.depth),
  folds,
  models: z.partialRecord(z.enum(sizeLetters), model).default({}),
  device: z.enum(['auto', ...deviceNames]).default('auto'),
  precision: z.enum(['auto', ...precisionNames]).default('auto'),
  training: training.optional(),
  controls: controls.prefault({}),
  method: method.prefault({}),
  tuning: tuning.prefault({}),
  variants: z.array(variant).min(1),
  ablations: ablations.optional(),
  grid: grid.optional(),
  baselines: z.array(z.union([baseline, givenRun])).default(['DPH', 'DPH+KL', 'BM25+RM3', 'QL+RM3', 'MaxP']),
  measures: list(measure, DEFAULT_MEASURES),
  significance: significance.prefault({}),
  published: published.optional(),
});

type Fields = z.output<typeof fields>;
type Context = z.core.$RefinementCtx;

function complain(context: Context, path: readonly (string | number)[], message: string): void {
  context.addIssue({ code: 'custom', path: [...path], message });
}

/** Checks that a preset which mixes general and fine-tuned models has both, or makes the fine-tuned ones. */
function checkPreset(
  { preset, models, training: wanted }: Pick<Fields, 'preset' | 'models' | 'training'>,
  context: Context,
  at: readonly string[] = ['models'],
): void {
  if (preset === undefined || typeof wanted === 'object') return;
  for (const [size, paths] of Object.entries(models)) {
    if (typeof paths !== 'string') continue;
    complain(
      context,
      [...at, size],
      'as-published has general and fine-tuned models: write { general: …, fineTuned: … }, or training: {}, which makes them',
    );
  }
}

/** Checks that training does not conflict with the models, and that its options go together. */
function checkTraining(
  { models, training: wanted }: Pick<Fields, 'models' | 'training'>,
  context: Context,
): void {
  if (typeof wanted !== 'object') return;
  if (wanted.loss === 'residual' && wanted.on !== 'chunks') {
    const message = 'the residual loss is that of phase three on chunks; write on: chunks beside it';
    complain(context, ['training', 'loss'], message);
  }
  const conflict = conflictOf(wanted);
  if (conflict) complain(context, ['training', conflict.option], conflict.reason);
  checkModels(models, ['models'], context);
}

/** Checks that the models are those to start training from. */
function checkModels(models: Fields['models'], path: readonly string[], context: Context): void {
  for (const [size, paths] of Object.entries(models)) {
    if (typeof paths === 'string' && !isScorerAddress(paths)) continue;
    const message =
      typeof paths === 'string'
        ? 'training starts from the model in a folder, not from one on a server'
        : 'training makes the fine-tuned model; name one folder, the model to start from';
    complain(context, [...path, size], message);
  }
}

/** Checks that systems to test against are baselines, and that no two given runs have the same name. */
function checkBaselines(
  { baselines, initial: ranking, significance }: Pick<Fields, 'baselines' | 'initial' | 'significance'>,
  context: Context,
): void {
  const runs = new Set(typeof ranking === 'string' ? [] : [ranking.name]);
  for (const [i, each] of baselines.entries()) {
    if (typeof each === 'string') continue;
    const problem = `two runs are called "${each.name}"; give each a name of its own`;
    if (runs.has(each.name)) complain(context, ['baselines', i, 'name'], problem);
    runs.add(each.name);
  }
  for (const [i, wanted] of (significance.against ?? []).entries()) {
    const problem = runs.has(wanted) ? undefined : baseline.safeParse(wanted).error?.issues[0].message;
    if (problem !== undefined) complain(context, ['significance', 'against', i], problem);
  }
}

export const experimentSchema = fields
  .superRefine(checkTraining)
  .superRefine(checkBaselines)
  .superRefine((experiment, context) => checkPreset(experiment, context));

/** A collection of a study, with what is its own instead of the study's. */
const studiedCollection = collection.extend({
  initial: initial.optional(),
  folds: folds.optional(),
  models: fields.shape.models.unwrap().optional(),
  baselines: fields.shape.baselines.unwrap().optional(),
  published: published.optional(),
});

/** Collections whose queries are also taken together, by the name of the whole. */
const together = z.record(z.string().min(1), z.array(z.string()).min(2)).optional();

/** Checks that a study has the collections that it takes together. */
function checkTogether(
  wanted: z.output<typeof together> = {},
  known: readonly string[],
  context: Context,
): void {
  for (const [whole, names] of Object.entries(wanted)) {
    for (const [i, each] of names.entries()) {
      if (known.includes(each)) continue;
      const problem = `"${each}" is not a collection of this study; it has ${known.join(', ')}`;
      complain(context, ['together', whole, i], problem);
    }
  }
}

/** The schema of the same experiment on several collections, by name. */
export const studySchema = fields
  .omit({ collection: true })
  .extend({
    folds: folds.optional(),
    collections: byCollection(studiedCollection, 'collection'),
    together,
  })
  .superRefine(checkTraining)
  .superRefine((study, context) => checkPreset(study, context))
  .superRefine((study, context) => checkTogether(study.together, Object.keys(study.collections), context))
  .superRefine(({ collections, folds: common, training: wanted, ...study }, context) => {
    for (const [key, own] of Object.entries(collections)) {
      const { initial: ranking = study.initial, baselines = study.baselines } = own;
      checkBaselines({ ...study, initial: ranking, baselines }, context);
      const { models = {} } = own;
      const at = ['collections', key, 'models'];
      if (typeof wanted === 'object') checkModels(models, at, context);
      checkPreset({ ...study, models, training: wanted }, context, at);
      if (own.folds !== undefined || common !== undefined) continue;
      const problem = 'has no folds; write "folds" here, or once for all collections';
      complain(context, ['collections', key], problem);
    }
  });

/** The schema of a study whose collections have experiment files of their own. */
export const listSchema = z
  .strictObject({
    name,
    title: z.string().optional(),
    experiments: byCollection(path, 'experiment file'),
    together,
  })
  .superRefine((study, context) => checkTogether(study.together, Object.keys(study.experiments), context));

/** An experiment file with its defaults filled in; paths are as written. */
export type ExperimentFile = z.output<typeof experimentSchema>;
export type AblationName = (typeof ablationNames)[number];
export type TrainingFields = z.output<typeof trainingOptions>;
