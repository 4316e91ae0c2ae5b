import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRun } from '../../src/collection/index.js';
import { evaluate, pairedTTest, starOf } from '../../src/evaluation/index.js';
import { crossValidate, type CrossValidationContext } from '../../src/experiment/cross-validate.js';
import { parseExperiment } from '../../src/experiment/file/read.js';
import type { TrainingFields } from '../../src/experiment/file/schema.js';
import { FirstStages } from '../../src/experiment/first-stage.js';
import { readInputs } from '../../src/experiment/inputs.js';
import { isReranker, type Reranker, systemsOf } from '../../src/experiment/systems.js';
import { Tracker } from '../../src/experiment/tracker.js';
import { trainFolds } from '../../src/experiment/train-folds.js';
import { FileDigests } from '../../src/experiment/work/digests.js';
import { Manifest } from '../../src/experiment/work/manifest.js';
import { Models } from '../../src/experiment/work/models.js';
import { WorkStore } from '../../src/experiment/work/store.js';

// What fine-tuning in five folds is worth: node --import tsx bench/training/fine-tuning.ts OUT > table.md
// MaxP with the shipped models, before and after, through the code of `bert-qe experiment`. Kill it and start it again: it
// goes on. Needs ../shared/data.

const out = process.argv[2];
const only = process.argv.slice(3);
const here = fileURLToPath(import.meta.url);

/** Small on purpose, so that two cores do it in minutes: one epoch, sampled candidates, short sequences. */
const training: Readonly<Record<string, TrainingFields>> = {
  T: {
    epochs: 1,
    depth: 200,
    negatives: 4,
    learningRate: 2e-5,
    maxLength: 256,
    validateEvery: 40,
  },
  S: { steps: 40, depth: 200, negatives: 4, learningRate: 2e-5, maxLength: 256, validateEvery: 20 },
};

const collections = {
  cranfield: `documents: ../../../shared/data/collections/cranfield
initial: DPH+KL
depth: 30`,
  'scifact-train': `documents: ../../../shared/data/collections/scifact
  qrels: ../../../shared/data/collections/scifact/qrels.train.txt
initial: BM25
depth: 20`,
};

async function study(name: keyof typeof collections): Promise<void> {
  const text = `name: ${name}
collection:
  ${collections[name]}
retrieve: 200
folds: { roundRobin: 5 }
variants: [TTT]
baselines: [T, S]
training: {}
measures: [P@20, nDCG@20, AP@100]
`;
  const experiment = parseExperiment(text, here);
  const folder = join(out, name);
  await mkdir(join(folder, 'work'), { recursive: true });
  const digests = await FileDigests.open(join(folder, 'work', 'digests.json'));
  const inputs = await readInputs(experiment, here, digests);
  const store = new WorkStore(join(folder, 'work', 'store'));
  const newModels = (): Models => new Models(experiment, here, digests, store);
  const [plain, tuned] = [newModels(), newModels()];
  const tracker = new Tracker(undefined, ({ step, done, total }) => {
    if (done === total || done % 20 === 0) process.stderr.write(`${name}, ${step}: ${done} of ${total}\n`);
  });
  const head = { versions: {}, options: experiment, inputs: inputs.digests };
  const manifest = await Manifest.open(folder, head, plain.records);
  const systems = systemsOf(experiment);
  const firstStages = new FirstStages(experiment, inputs, manifest, tracker);
  const { index, key } = await firstStages.anyIndex(systems.initial);
  const initialFile = await firstStages.run(systems.initial!);
  const context: CrossValidationContext = {
    experiment,
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
  const measured = async (file: string) =>
    evaluate(await readRun(file), tested, { measures: experiment.measures, complete: true });
  const row = (label: string, { summary }: Awaited<ReturnType<typeof measured>>, p = ''): string =>
    `| ${label} | ${[...summary.values()].map((value) => value.toFixed(4)).join(' | ')} | ${p} |\n`;
  const initial = await measured(initialFile);
  process.stdout.write(
    `\n### ${name}\n\n| model | ${experiment.measures.join(' | ')} | p (nDCG@20), against the line above |\n|---|---|---|---|---|\n` +
      row(systems.initial!.name, initial),
  );
  for (const system of systems.baselines.filter(isReranker)) {
    const size = system.variant.phaseOne;
    if (only.length > 0 && !only.includes(size)) continue;
    const before = await measured((await crossValidate(system, context, 1)).file);
    const trainedContext = { ...context, models: tuned };
    const trained = await trainFolds(training[size], [system], trainedContext);
    const again: Reranker = { ...system, name: `${system.name}, fine-tuned`, id: `${system.id}-fine-tuned` };
    const after = await measured((await crossValidate(again, trainedContext, 1)).file);
    const test = (better: typeof after, than: typeof after): string => {
      const { p } = pairedTTest(better.perQuery.get('nDCG@20')!, than.perQuery.get('nDCG@20')!);
      return `${p < 0.001 ? '< .001' : p.toFixed(3)}${starOf(p)}`;
    };
    const steps = trained.map(({ best }) => best!.step).join(', ');
    process.stdout.write(
      row(`${system.name}`, before, `${test(before, initial)} (against ${systems.initial!.name})`),
    );
    process.stdout.write(row(`${again.name} (weights of steps ${steps})`, after, test(after, before)));
  }
  await plain.close();
  await tuned.close();
  await firstStages.close();
  await store.close();
  await digests.save();
}

for (const name of Object.keys(collections) as (keyof typeof collections)[]) await study(name);
