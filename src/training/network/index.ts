export { portions } from '../data/sequences.js';
export type { JudgedInputs } from '../inputs.js';
export { encoderFeeds, type FeedBatch, padded } from '../engine/micro-batch.js';
export type { NetworkParameter } from '../engine/network-engine.js';
export { openNetworkWorker } from '../engine/training-worker.js';
export { readWeights } from '../engine/state-file.js';
export {
  type Dropout,
  type DropoutMask,
  encoderStates,
  isTable,
  lossOutputs,
  maskedDropout,
  noDropout,
  SCORES,
  sizeOf,
  TOKEN_GRADIENTS,
  weightInputs,
} from '../graph/index.js';
export {
  networkSettings,
  type NetworkTrainingCall,
  type NetworkTrainingOptions,
  type NetworkTrainingSettings,
  type RankingNetwork,
  trainNetwork,
} from './train-network.js';
