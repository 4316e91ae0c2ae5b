import { serve } from '../../bert/runtime/index.js';
import { restoreState, saveState, saveWeights } from '../engine/state-file.js';
import { NetworkEngine } from './engine.js';
import type { NetworkService, NetworkSetup } from './network.js';

/** The worker of a network: owns the engine. */
await serve(async ({ network, settings, state }: NetworkSetup): Promise<NetworkService> => {
  const engine = await NetworkEngine.open(network, settings);
  if (state !== undefined) await restoreState(engine.parameters, state);
  return {
    score: (batches) => engine.score(batches),
    step: (number, learningRate, batches) => engine.step(number, learningRate, batches),
    saveState: (file) => saveState(engine.parameters, file),
    saveModel: (file) => saveWeights(engine.parameters, file),
    release: () => engine.release(),
  };
});
