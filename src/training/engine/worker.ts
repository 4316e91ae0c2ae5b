import { serve } from '../../bert/runtime/index.js';
import { saveModel, saveState, startFromModel, startFromState } from './state-file.js';
import type { TrainingService, TrainingSetup } from './training-worker.js';

/** The training worker: owns the engine. */
await serve(async ({ settings, start }: TrainingSetup): Promise<TrainingService> => {
  const engine = await ('model' in start
    ? startFromModel(start.model, settings)
    : startFromState(start.state, settings));
  return {
    step: (number, learningRate, batches) => engine.step(batches, learningRate, number),
    score: (batches, step) => engine.score(batches, step),
    saveState: (file) => saveState(engine, file),
    saveModel: (file) => saveModel(engine, file),
    release: () => engine.release(),
  };
});
