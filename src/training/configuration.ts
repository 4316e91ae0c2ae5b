import { findModel, hashModel, hashTokenizer } from '../bert/index.js';
import { inputError } from '../common/errors.js';
import { hashJson } from '../common/hash.js';
import type { JudgedInputs, PhaseThreeInputs, TrainingInputs } from './inputs.js';
import type { BaseModel } from './models.js';
import { hasOption, type TrainingSettings } from './settings.js';

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
  'optimiser',
  'keep',
]);

export async function configurationOf(
  inputs: TrainingInputs,
  settings: TrainingSettings,
  base: BaseModel,
): Promise<Configuration> {
  const { teacherWeight, lossAlpha, lossBeta } = settings;
  const deepest = Math.max(settings.depth, settings.validationDepth ?? 0, inputs.phaseThree?.depth ?? 0);
  return {
    ...(await modelConfiguration(base, settings)),
    ...(settings.loss === 'residual' && { lossAlpha, lossBeta }),
    ...(inputs.passageModel && { general: await hashModel(await findModel(inputs.passageModel)) }),
    ...(inputs.teacher && { teacher: await hashModel(await findModel(inputs.teacher)), teacherWeight }),
    ...(inputs.phaseThree && (await phaseThreeConfiguration(inputs.phaseThree))),
    ...judgedConfiguration(inputs, deepest),
  };
}

/** The settings, and the hash of the model to start from. */
export async function modelConfiguration(
  base: BaseModel,
  settings: TrainingSettings,
): Promise<Configuration> {
  // Choices at their defaults are left out, so that trainings from before they existed can go on.
  const { schedule, optimiser, keep, loss, steps, epochs, precision } = settings;
  const listed = Object.entries(settings).filter(
    ([name, value]) =>
      value !== undefined && !notListed.has(name) && (name === 'groupSize' || hasOption(loss, name)),
  ) as [string, string | number][];
  return {
    ...Object.fromEntries(listed),
    ...(schedule !== 'linear' && { schedule }),
    ...(optimiser !== 'adam' && { optimiser }),
    ...(keep !== 'best' && { keep }),
    ...(steps === undefined && { epochs }),
    ...(precision === 'fp16' && { precision }),
    ...(base.isNew
      ? { shape: shapeOf(base), vocabulary: await hashTokenizer(base.folder) }
      : { model: await hashModel(base.folder) }),
  };
}

function shapeOf({ config: { layers, hidden, heads, maxPositions } }: BaseModel): string {
  return `${layers} layers, ${hidden} units, ${heads} heads, ${maxPositions} positions`;
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
  throw inputError(
    `${folder}: its checkpoint is of another configuration: ${changes.join(', ')}. Go on with the same options and ` +
      'inputs, or name another folder.',
  );
}

function show(value: string | number | undefined): string {
  const text = value === undefined ? 'unset' : String(value);
  return text.length > 24 ? `${text.slice(0, 8)}…` : text;
}
