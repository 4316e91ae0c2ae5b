export { cacheFolder } from './cache-folder.js';
export {
  bertWeights,
  narrowToHalf,
  openCheckpoint,
  writeSafetensors,
  type BertWeights,
  type CheckpointFormat,
} from './checkpoint/index.js';
export { readCrossEncoderConfig, type ModelConfig, type SizeLetter } from './config.js';
export { fetchModel } from './hub/index.js';
export { findModel, listModels } from './models.js';
export { BertScorer, type Device, type ScorerInfo, type ScorerOptions } from './scorer/index.js';
export { loadTokenizer } from './tokenizer/index.js';
export type {
  Checkpoint,
  PairTemplate,
  Scorer,
  ScoreOptions,
  TensorInfo,
  TextPair,
  Tokenizer,
} from './types.js';
