export type { JudgedInputs } from '../inputs.js';
export { gradients } from '../autodiff/gradients.js';
export { encoderFeeds, type FeedBatch, padded, publishedAdam } from '../engine/index.js';
export {
  type Dropout,
  type DropoutMask,
  encoderStates,
  gradientOf,
  IDS,
  isTable,
  LOSS,
  maskedDropout,
  noDropout,
  PADDING,
  POSITIONS,
  SEGMENTS,
  TOKEN_GRADIENTS,
  TYPES,
  WORDS,
} from '../graph/index.js';
export { type NetworkParameter, openTrainedNetwork, SCORES, type TrainedNetwork } from './network.js';
export {
  networkSettings,
  type NetworkTrainingCall,
  type NetworkTrainingOptions,
  type NetworkTrainingSettings,
  type RankingNetwork,
  trainNetwork,
} from './train-network.js';
