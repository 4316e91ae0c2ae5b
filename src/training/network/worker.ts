import { serve } from '../../bert/runtime/index.js';
import { NetworkEngine } from './engine.js';
import type { NetworkService, NetworkSetup } from './network-worker.js';
import { readMoments, saveNetwork, saveNetworkState } from './state-file.js';

/** The worker of a network: owns the engine. */
await serve(async ({ network, settings, state }: NetworkSetup): Promise<NetworkService> => {
  const saved = state === undefined ? undefined : await readMoments(state, network);
  const engine = await NetworkEngine.open(saved?.network ?? network, settings, saved?.moments);
  return {
    score: (batches) => engine.score(batches),
    step: (number, learningRate, batches) => engine.step(number, learningRate, batches),
    saveState: (file) => saveNetworkState(engine, file),
    saveModel: (file) => saveNetwork(engine, file),
    release: () => engine.release(),
  };
});
