export type { JudgedInputs } from '../inputs.js';
export { encoderFeeds, type FeedBatch, type NetworkParameter, padded } from '../engine/index.js';
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
export { openTrainedNetwork, type TrainedNetwork } from './network.js';
export {
  networkSettings,
  type NetworkTrainingCall,
  type NetworkTrainingOptions,
  type NetworkTrainingSettings,
  type RankingNetwork,
  trainNetwork,
} from './train-network.js';
