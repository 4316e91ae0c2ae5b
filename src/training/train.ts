import { BertQeError } from '../common/errors.js';
import { copyTokenizer, requireCuda, type Scorer, writeConfig } from '../bert/index.js';
import { collectExamples } from './collect-examples.js';
import { configurationOf } from './configuration.js';
import { openTrainingWorker, publishedAdam, staysOnDevice } from './engine/index.js';
import type { LossKind } from './graph/index.js';
import { checkInputs, type TrainingInputs } from './inputs.js';
import { lazyScorer, readBaseModel } from './models.js';
import { type OutputCall, trainInFolder, type TrainingManifest } from './output.js';
import { type LossName, trainingSettings, type TrainingOptions } from './settings.js';
import type { StepProgress } from './training-loop.js';
import { ValidationSet } from './validation.js';

/** The progress of a training: first by query, while best passages (and chunks) are chosen, then by step. */
export type TrainProgress =
  | { readonly phase: 'passages'; readonly done: number; readonly total: number }
  | ({ readonly phase: 'training' } & StepProgress);

/** The output of a training, and how it is resumed, stopped and watched. */
export interface TrainCall extends OutputCall {
  readonly onProgress?: (progress: TrainProgress) => void;
  /** Opens a model that chooses passages or teaches; it is closed before training begins. */
  readonly openScorer?: (folder: string) => Scorer;
}

/** Fine-tunes a model on the candidates of queries, and writes a model folder. */
export async function trainModel(
  inputs: TrainingInputs,
  options: TrainingOptions,
  call: TrainCall,
): Promise<TrainingManifest> {
  const settings = trainingSettings(options);
  if (settings.device === 'cuda') await requireCuda();
  const base = await readBaseModel(inputs.model);
  checkInputs(inputs, settings, base);
  return trainInFolder(
    call,
    () => configurationOf(inputs, settings, base),
    async (checkpoints, saved, configuration) => {
      const { loss, dropout, seed, device, precision, threads } = settings;
      const { data, validation } = await collectExamples(inputs, settings, base, configuration, {
        journal: checkpoints.path('passages.jsonl'),
        openScorer: call.openScorer ?? lazyScorer,
        signal: call.signal,
        onProgress: (done, total) => call.onProgress?.({ phase: 'passages', done, total }),
      });
      if (data.groups === 0) {
        throw new BertQeError(
          'input',
          `${inputs.label ?? 'The training'}: no query has both a relevant and another candidate, which the ${loss} ` +
            `loss compares; ${loss === 'residual' ? 'give more judgements' : 'use the pointwise loss'}, or a deeper run.`,
        );
      }
      const steps = settings.steps ?? data.stepsIn(settings.epochs);
      const validationSet =
        validation && new ValidationSet(validation, inputs.qrels, base.tokenizer, settings);
      const engine = {
        config: base.config,
        loss: graphLoss[loss],
        dropout,
        seed,
        device,
        precision,
        threads,
      };
      const worker = await openTrainingWorker({
        settings: { ...engine, adam: publishedAdam },
        start: saved ? { state: checkpoints.path(saved.state.name) } : { model: base.folder },
      });
      return {
        model: inputs.model,
        examples: data.counts,
        worker,
        loop: {
          ...settings,
          steps,
          examplesPerStep: data.examplesPerStep,
          validateEvery: settings.validateEvery ?? Math.max(1, Math.ceil(steps / 10)),
          takeSteps: (first, rates) => data.steps(worker, first, rates),
          prefersManySteps: staysOnDevice(engine),
          ...(validationSet && { validate: () => validationSet.evaluate(worker, base.config.labels) }),
          onProgress: (progress) => call.onProgress?.({ phase: 'training', ...progress }),
        },
        writer: {
          files: (out) => copyTokenizer(base.folder, out),
          config: (out) => writeConfig(base.config, out),
        },
      };
    },
  );
}

const graphLoss: Readonly<Record<LossName, LossKind>> = {
  pointwise: 'pointwise',
  pairwise: 'listwise',
  listwise: 'listwise',
  residual: 'given',
};
