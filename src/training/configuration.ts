import { findModel, hashModel } from '../bert/index.js';
import { BertQeError } from '../common/errors.js';
import { hashJson } from '../common/hash.js';
import type { JudgedInputs, PhaseThreeInputs, TrainingInputs } from './inputs.js';
import type { BaseModel } from './models.js';
import type { TrainingSettings } from './settings.js';

/** Everything that the result of a training depends on: settings, and hashes of the inputs. */
export type Configuration = Readonly<Record<string, string | number>>;

/** Settings without an entry of their own: they have no effect on the result, or none without others. */
const notListed = new Set([
  'threads',
  'device',
  'precision',
  'saveEvery',
  'epochs',
  'teacherWeight',
  'lossAlpha',
  'lossBeta',
  'schedule',
  'keep',
]);

export async function configurationOf(
  inputs: TrainingInputs,
  settings: TrainingSettings,
  base: BaseModel,
): Promise<Configuration> {
  const { epochs, teacherWeight, lossAlpha, lossBeta } = settings;
  const deepest = Math.max(settings.depth, settings.validationDepth ?? 0, inputs.phaseThree?.depth ?? 0);
  // Choices at their defaults are left out, so that trainings from before they existed can go on.
  const { schedule, keep } = settings;
  const listed = Object.entries(settings).filter(
    ([name, value]) => value !== undefined && !notListed.has(name),
  ) as [string, string | number][];
  return {
    ...Object.fromEntries(listed),
    ...(schedule !== 'linear' && { schedule }),
    ...(keep !== 'best' && { keep }),
    ...(settings.steps === undefined && { epochs }),
    ...(settings.loss === 'residual' && { lossAlpha, lossBeta }),
    ...(settings.precision === 'fp16' && { precision: settings.precision }),
    model: await hashModel(base.folder),
    ...(inputs.passageModel && { general: await hashModel(await findModel(inputs.passageModel)) }),
    ...(inputs.teacher && { teacher: await hashModel(await findModel(inputs.teacher)), teacherWeight }),
    ...(inputs.phaseThree && (await phaseThreeConfiguration(inputs.phaseThree))),
    ...judgedConfiguration(inputs, deepest),
  };
}

/** Hashes of queries, judgements and the first `depth` candidates. */
export function judgedConfiguration(
  { queries, validationQueries = [], qrels, run, documentsKey }: JudgedInputs,
  depth: number,
): Configuration {
  const [training, validation] = [queries, validationQueries].map((some) =>
    hashJson(some.map(({ id, text }) => [id, text])),
  );
  const ids = [...queries, ...validationQueries].map(({ id }) => id);
  return {
    documents: documentsKey,
    queries: training,
    validationQueries: validation,
    qrels: hashJson(ids.map((id) => [...(qrels.get(id) ?? [])])),
    run: hashJson(ids.map((id) => (run.get(id) ?? []).slice(0, depth))),
  };
}

async function phaseThreeConfiguration({
  phaseOne,
  phaseTwo,
  depth,
  combination,
  ...method
}: PhaseThreeInputs): Promise<Configuration> {
  return {
    on: 'chunks',
    phaseOne: await hashModel(await findModel(phaseOne)),
    phaseTwo: await hashModel(await findModel(phaseTwo)),
    ...method,
    rerankedDepth: depth,
    ...combination,
  };
}

/** Throws where a saved training has another configuration, and names the differences. */
export function requireSame(saved: Configuration, now: Configuration, folder: string): void {
  const names = [...new Set([...Object.keys(saved), ...Object.keys(now)])];
  const differing = names.filter((name) => saved[name] !== now[name]);
  if (differing.length === 0) return;
  const changes = differing.map((name) => `${name} (${show(saved[name])}, now ${show(now[name])})`);
  throw new BertQeError(
    'input',
    `${folder}: its checkpoint is of another configuration: ${changes.join(', ')}. Go on with the same options and ` +
      'inputs, or name another folder.',
  );
}

function show(value: string | number | undefined): string {
  const text = value === undefined ? 'unset' : String(value);
  return text.length > 24 ? `${text.slice(0, 8)}…` : text;
}
