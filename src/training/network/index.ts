export type { JudgedInputs } from '../inputs.js';
export { gradients } from '../autodiff/index.js';
export { padded, type PaddedBatch, publishedAdam } from '../engine/index.js';
export {
  type Dropout,
  encoderStates,
  gradientOf,
  IDS,
  isTable,
  LOSS,
  type MaskDimensions,
  MaskedDropout,
  noDropout,
  PADDING,
  POSITIONS,
  SEGMENTS,
  TOKEN_GRADIENTS,
  TYPES,
  WORDS,
} from '../graph/index.js';
export type { NetworkEngine, NetworkSettings } from './engine.js';
export { type FeedArray, type Network, type NetworkBatch, type NetworkParameter, SCORES } from './network.js';
export { NetworkWorker } from './network-worker.js';
export { readTensors } from './state-file.js';
export {
  type DocumentPair,
  type NetworkDefaults,
  networkSettings,
  type NetworkTask,
  type NetworkTrainingCall,
  type NetworkTrainingOptions,
  type NetworkTrainingSettings,
  type QueryBatches,
  type RankingNetwork,
  trainNetwork,
} from './train-network.js';
