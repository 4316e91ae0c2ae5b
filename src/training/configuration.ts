import { findModel, hashModel } from '../bert/index.js';
import type { Query } from '../collection/index.js';
import { BertQeError } from '../common/errors.js';
import { hashJson } from '../common/hash.js';
import type { PhaseThreeInputs, TrainingInputs } from './inputs.js';
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
  const ids = [...inputs.queries, ...(inputs.validationQueries ?? [])].map(({ id }) => id);
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
    documents: inputs.documentsKey,
    queries: hashJson(inputs.queries.map(idAndText)),
    validationQueries: hashJson((inputs.validationQueries ?? []).map(idAndText)),
    qrels: hashJson(ids.map((id) => [...(inputs.qrels.get(id) ?? [])])),
    run: hashJson(ids.map((id) => (inputs.run.get(id) ?? []).slice(0, deepest))),
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

function idAndText({ id, text }: Query): readonly string[] {
  return [id, text];
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
