import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readRun } from '../../src/collection/index.js';
import { type Evaluation, evaluate, pairedTTest, starOf } from '../../src/evaluation/index.js';
import {
  crossValidate,
  type CrossValidated,
  type CrossValidationContext,
} from '../../src/experiment/cross-validate.js';
import { parseExperiment } from '../../src/experiment/file/read.js';
import { FirstStages } from '../../src/experiment/first-stages.js';
import { readInputs } from '../../src/experiment/inputs.js';
import {
  isReranking,
  type FirstStageSystem,
  type RerankingSystem,
  systemsOf,
} from '../../src/experiment/systems.js';
import { ProgressTracker } from '../../src/experiment/progress.js';
import { type TrainedFold, trainFolds } from '../../src/experiment/train-folds.js';
import { Manifest } from '../../src/experiment/store/manifest.js';
import { Models } from '../../src/experiment/store/models.js';
import { ScoreStore } from '../../src/experiment/store/score-store.js';
import { collections, modelsOf, type Recipe, recipes } from './recipes.js';

// The gain of fine-tuning in five folds: MaxP before and after, through the code of `bert-qe experiment`.
//   node --import tsx bench/training/fine-tuning.ts OUT [--models shipped|FOLDER] [--sizes T,S] [--collections …] [--recipes …]
// prints the tables of docs/fine-tuning.md. Resumable. Needs BERT_QE_COLLECTIONS (docs/collections.md).

const here = fileURLToPath(import.meta.url);
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    models: { type: 'string', default: 'shipped' },
    sizes: { type: 'string', default: 'T,S' },
    collections: { type: 'string', default: Object.keys(collections).join() },
    recipes: { type: 'string', default: 'judged,taught' },
  },
});
const [out] = positionals;
if (out === undefined) throw new Error('Name the folder to work in.');

/** One of a table, or an error that lists what there is. */
function named<T>(table: Readonly<Record<string, T>>, name: string): T {
  if (Object.hasOwn(table, name)) return table[name];
  throw new Error(`There is no "${name}"; there are ${Object.keys(table).join(', ')}.`);
}

function experimentOf(collection: string, models: string) {
  const text = `name: ${collection}
collection:
  ${named(collections, collection)}
retrieve: 200
folds: { roundRobin: 5 }
models: ${JSON.stringify(modelsOf(models))}
variants: [TTT]
baselines: [T, S]
training: {}
measures: [P@20, nDCG@20, AP@100]
`;
  return parseExperiment(text, here);
}

const figure = (value: number): string => value.toFixed(4).replace(/^0/, '');

function row(label: string, { summary }: Evaluation, p = ''): string {
  return `| ${[label, ...[...summary.values()].map(figure), p].join(' | ')} |\n`;
}

/** Of two equal ones, the earlier is taken. */
function better(one: TrainedFold, other: TrainedFold): TrainedFold {
  return other.best!.value > one.best!.value ? other : one;
}

function significance(after: Evaluation, before: Evaluation): string {
  const { p } = pairedTTest(after.perQuery.get('nDCG@20')!, before.perQuery.get('nDCG@20')!);
  return `${p < 0.001 ? '< .001' : p.toFixed(3).replace(/^0/, '')}${starOf(p)}`;
}

/** Per fold: the recipe, the model's own value on the validation queries, and the parameters chosen on them. */
function course(
  trained: readonly TrainedFold[],
  settings: readonly number[],
  { folds }: CrossValidated,
): string {
  const lines = trained.map(({ fold, examples, steps, best, history }, i) => {
    const looks = history.validations.map(({ value }) => figure(value));
    const learned = `${examples.relevant} + ${examples.others}`;
    return `| ${[fold, learned, settings[i] + 1, looks.join(' '), `${best!.step} of ${steps}`, folds[i].beta].join(' | ')} |\n`;
  });
  return (
    '| fold | relevant + others | setting | validation nDCG@20 of the model alone | step kept | β |\n|---|---|---|---|---|---|\n' +
    lines.join('')
  );
}

async function study(collection: string): Promise<void> {
  const experiment = experimentOf(collection, values.models);
  const folder = join(out, `${collection}-${values.models}`);
  await mkdir(join(folder, 'work'), { recursive: true });
  const inputs = await readInputs(experiment, here);
  const store = await ScoreStore.open(join(folder, 'work', 'scores.journal'));
  const opened: Models[] = [];
  const newModels = (of = experiment): Models => {
    const models = new Models(of, here, store, { folder: join(folder, 'work', 'models') });
    opened.push(models);
    return models;
  };
  const plain = newModels();
  let reported = 0;
  const tracker = new ProgressTracker(undefined, ({ step, done, total }) => {
    if (done !== total && performance.now() - reported < 20_000) return;
    reported = performance.now();
    process.stderr.write(`${collection}, ${step}: ${done} of ${total}\n`);
  });
  const head = { versions: {}, options: experiment, inputs: inputs.digests };
  const manifest = await Manifest.open(folder, head, plain.records);
  const systems = systemsOf(experiment);
  const firstStages = new FirstStages(experiment, inputs, manifest, tracker);
  const { index, key } = await firstStages.anyIndex(systems.initial);
  const initialFile = await firstStages.run(systems.initial as FirstStageSystem);
  const context: CrossValidationContext = {
    experiment,
    file: here,
    folds: inputs.folds,
    qrels: inputs.qrels,
    qrelsKey: inputs.digests.qrels,
    queries: inputs.queries,
    initial: await readRun(initialFile),
    documents: index,
    documentsKey: key,
    models: plain,
    store,
    manifest,
    tracker,
  };
  const tested = new Map([...inputs.qrels].filter(([query]) => inputs.queries.has(query)));
  const measured = async (file: string): Promise<Evaluation> =>
    evaluate(await readRun(file), tested, { measures: experiment.measures, complete: true });

  /** The shipped S, the teacher of recipes that have one. */
  const shipped = newModels(experimentOf(collection, 'shipped'));
  const teacher = {
    folder: await shipped.places.folder('S', 'general', 1),
    scorer: await shipped.get('S', 'general', 1),
  };
  /** Every fold takes, of the recipe's settings, those that are best on its own validation queries. */
  const tune = async (system: RerankingSystem, { name, settings }: Recipe) => {
    const tuned = { ...context, models: newModels() };
    const tried: TrainedFold[][] = [];
    for (const training of settings) tried.push(await trainFolds(training, [system], tuned, teacher));
    const trained = tried[0].map((_, i) => tried.map((one) => one[i]).reduce(better));
    for (const { size, fold, folder: model } of trained) tuned.models.useTrained(size, fold, model);
    const renamed = {
      ...system,
      name: `${system.name}, ${name}`,
      id: `${system.id}-${name.replace(/\W+/g, '-')}`,
    };
    const result = await crossValidate(renamed, tuned, 1);
    const chosen = trained.map((one, i) => tried.findIndex((folds) => folds[i] === one));
    return { after: await measured(result.file), course: course(trained, chosen, result) };
  };

  const initial = await measured(initialFile);
  const initialName = systems.initial!.name;
  let table = row(initialName, initial);
  let courses = '';
  for (const system of systems.baselines.filter(isReranking)) {
    const size = system.variant.phaseOne;
    if (!values.sizes.split(',').includes(size)) continue;
    const before = await measured((await crossValidate(system, context, 1)).file);
    table += row(
      `${size}, ${values.models}`,
      before,
      `${significance(before, initial)} against ${initialName}`,
    );
    for (const recipe of values.recipes.split(',').map((name) => named(recipes, name)[size])) {
      if (recipe === undefined) continue;
      const { after, course: lines } = await tune(system, recipe);
      table += row(
        `${size}, ${recipe.name}`,
        after,
        `${significance(after, before)} against ${size}, ${values.models}`,
      );
      courses += `\n${size}, ${recipe.name}:\n\n${lines}`;
    }
  }
  const heading = `| model | ${experiment.measures.join(' | ')} | p (nDCG@20) |\n|---|---|---|---|---|\n`;
  process.stdout.write(`\n### ${collection}\n\n${heading}${table}${courses}`);
  for (const models of opened) await models.close();
  await firstStages.close();
  await store.close();
}

for (const collection of values.collections.split(',')) await study(collection);
