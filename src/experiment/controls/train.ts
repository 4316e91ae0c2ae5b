import { hashModel } from '../../bert/index.js';
import type { Query } from '../../collection/index.js';
import { trainCedr, trainNprf, trainSnrm } from '../../controls/index.js';
import type { StepProgress } from '../../training/index.js';
import type { CrossValidationContext } from '../cross-validate.js';
import { expandVariables, resolvePath } from '../file/paths.js';
import type { ControlSystem } from '../systems.js';
import { makeModel } from '../train-folds.js';

/**
 * The folder of a control's model in a fold: one that the file names, or one that is trained on the fold's training
 * queries and keeps the best weights on its validation queries. Undefined where the control has no model of its own.
 */
export async function modelOfFold(
  system: ControlSystem,
  fold: number,
  context: CrossValidationContext,
): Promise<string | undefined> {
  const { control } = system;
  if (control !== 'CEDR-KNRM' && control !== 'NPRF-DRMM') return undefined;
  const { experiment, folds, queries, qrels, initial, manifest, tracker, models, file } = context;
  const { model: given, ...options } = experiment.controls[control] ?? {};
  if (given !== undefined) {
    return resolvePath(file, expandVariables(given).replaceAll('{fold}', String(fold)));
  }
  const { train, valid } = folds[fold - 1];
  const base = system.size === undefined ? undefined : await models.folder(system.size, 'fineTuned', fold);
  const settings = { ...options, depth: options.depth ?? system.depth, validationDepth: system.depth };
  const depth = Math.max(settings.depth, system.depth);
  const trained = train.filter((id) => qrels.has(id));
  const inputs = [
    'control training 1',
    control,
    base === undefined ? null : await hashModel(base),
    settings,
    train,
    valid,
    [...train, ...valid].map((id) => [
      queries.get(id)!.text,
      (initial.get(id) ?? []).slice(0, depth),
      [...(qrels.get(id) ?? [])],
    ]),
    context.documentsKey,
  ];
  const name = `train ${system.name}, fold ${fold}`;
  const textsOf = (ids: readonly string[]): Query[] => ids.map((id) => queries.get(id)!);
  const { folder } = await makeModel(name, `${system.id}-fold${fold}`, inputs, manifest, async (out) => {
    const inputsOfFold = {
      queries: textsOf(trained),
      validationQueries: textsOf(valid),
      qrels,
      run: initial,
      label: `${system.name}, fold ${fold}`,
    };
    const call = {
      out,
      resume: true,
      signal: tracker.signal,
      onProgress: ({ step, steps }: StepProgress) => tracker.update(name, step, steps),
    };
    const { documents, documentsKey } = context;
    if (base === undefined) {
      await trainNprf({ ...inputsOfFold, index: documents }, settings, {
        ...call,
        onVectors: (done, total) => tracker.update('word vectors', done, total),
      });
    } else {
      await trainCedr(base, { ...inputsOfFold, documents, documentsKey }, settings, call);
    }
    return {};
  });
  return folder;
}

/** The folder of SNRM's model: one that the file names, or one that is trained on the documents alone, for all folds. */
export async function latentModel({
  experiment,
  documents,
  documentsKey,
  manifest,
  tracker,
  file,
}: CrossValidationContext): Promise<string> {
  const { model: given, ...options } = experiment.controls.SNRM ?? {};
  if (given !== undefined) return resolvePath(file, given);
  const name = 'train SNRM';
  const inputs = ['latent training 1', options, documentsKey];
  const { folder } = await makeModel(name, 'SNRM', inputs, manifest, async (out) => {
    await trainSnrm(documents, options, {
      out,
      resume: true,
      signal: tracker.signal,
      onProgress: ({ step, steps }) => tracker.update(name, step, steps),
      onVectors: (done, total) => tracker.update('word vectors', done, total),
      onIndex: (done, total) => tracker.update('index of latent terms', done, total),
    });
    return {};
  });
  return folder;
}
