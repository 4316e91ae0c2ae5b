import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { hashModel } from '../../bert/index.js';
import type { Query } from '../../collection/index.js';
import { hashJson } from '../../common/hash.js';
import { trainCedr, trainNprf } from '../../controls/index.js';
import { isTrained, type StepProgress } from '../../training/index.js';
import type { CrossValidationContext } from '../cross-validate.js';
import { expandVariables, resolvePath } from '../file/paths.js';
import type { ControlSystem } from '../systems.js';

/**
 * The folder of a control's model in a fold: one that the file names, or one that is trained on the fold's training
 * queries and keeps the best weights on its validation queries. Undefined where the control has no model of its own.
 */
export async function modelOfFold(
  system: ControlSystem,
  fold: number,
  context: CrossValidationContext,
): Promise<string | undefined> {
  if (system.control === 'Birch') return undefined;
  const { experiment, folds, queries, qrels, initial, manifest, tracker, models, file } = context;
  const { model: given, ...options } = experiment.controls[system.control] ?? {};
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
    system.control,
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
  const folder = join(
    manifest.folder,
    'work',
    'models',
    `${system.id}-fold${fold}-${hashJson(inputs).slice(0, 12)}`,
  );
  const name = `train ${system.name}, fold ${fold}`;
  const outputs = ['model.safetensors', 'config.json'].map((each) =>
    relative(manifest.folder, join(folder, each)),
  );
  const textsOf = (ids: readonly string[]): Query[] => ids.map((id) => queries.get(id)!);
  await manifest.run({ name, inputs, outputs }, async () => {
    // A folder that is neither unfinished nor complete was changed by others.
    const isUnfinished = existsSync(join(folder, 'checkpoints'));
    if (!isUnfinished && !(await isTrained(folder))) await rm(folder, { recursive: true, force: true });
    const inputsOfFold = {
      queries: textsOf(trained),
      validationQueries: textsOf(valid),
      qrels,
      run: initial,
      label: `${system.name}, fold ${fold}`,
    };
    const call = {
      out: folder,
      resume: true,
      signal: tracker.signal,
      onProgress: ({ step, steps }: StepProgress) => tracker.update(name, step, steps),
    };
    if (base === undefined) {
      await trainNprf({ ...inputsOfFold, index: context.documents }, settings, {
        ...call,
        onVectors: (done, total) => tracker.update('word vectors', done, total),
      });
    } else {
      const { documents, documentsKey } = context;
      await trainCedr(base, { ...inputsOfFold, documents, documentsKey }, settings, call);
    }
    return {};
  });
  return folder;
}
