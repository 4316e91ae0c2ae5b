import { inputError } from '../common/errors.js';
import { requireCuda, type Scorer } from '../bert/index.js';
import { collectExamples } from './collect-examples.js';
import { configurationOf } from './configuration.js';
import { checkInputs, type TrainingInputs } from './inputs.js';
import { lazyScorer, readBaseModel } from './models.js';
import { openTraining } from './open-training.js';
import { type OutputCall, trainInFolder, type TrainingManifest } from './output.js';
import { trainingSettings, type TrainingOptions } from './settings.js';
import type { StepProgress } from './training-loop.js';
import { byRankings } from './validation.js';

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
    async (start) => {
      const { loss } = settings;
      const { data, validation } = await collectExamples(inputs, settings, base, start.configuration, {
        journal: start.checkpoints.path('passages.jsonl'),
        openScorer: call.openScorer ?? lazyScorer,
        signal: call.signal,
        onProgress: (done, total) => call.onProgress?.({ phase: 'passages', done, total }),
      });
      if (data.groups === 0) {
        throw inputError(
          `${inputs.label ?? 'The training'}: no query has both a relevant and another candidate, which the ${loss} ` +
            `loss compares; ${loss === 'residual' ? 'give more judgements' : 'use the pointwise loss'}, or a deeper run.`,
        );
      }
      const validate = validation && byRankings(validation, inputs.qrels, base, settings);
      const task = { model: inputs.model, base, data, validate };
      return openTraining(task, settings, start, (progress) =>
        call.onProgress?.({ phase: 'training', ...progress }),
      );
    },
  );
}
