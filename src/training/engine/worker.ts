import { storedName } from '../../bert/checkpoint/index.js';
import { serve } from '../../bert/runtime/index.js';
import { saveState, saveWeights, startFromModel, startFromState } from './state-file.js';
import type { TrainingService, TrainingSetup } from './training-worker.js';

/** The training worker: owns the engine. */
await serve(async ({ settings, start }: TrainingSetup): Promise<TrainingService> => {
  const engine = await ('model' in start
    ? startFromModel(start.model, settings)
    : startFromState(start.state, settings));
  return {
    steps: (steps) => engine.steps(steps),
    score: (batches, step) => engine.score(batches, step),
    saveState: (file) => saveState(engine.parameters.values(), file),
    saveModel: (file) => saveWeights(engine.parameters.values(), file, storedName),
    release: () => engine.release(),
  };
});
