export { openCheckpoint, writeSafetensors } from './checkpoint/index.js';
export { countOf, encoderFlops, weightFlops } from './cost.js';
export { formatModelConfig, type ModelConfig } from './config.js';
export { readCrossEncoderConfig, readModelConfig } from './model-folder.js';
export { fetchModel } from './hub/fetch-model.js';
export { deviceNames, deviceStates, installCuda, requireCuda } from './runtime/index.js';
export {
  checkBareModel,
  completeModel,
  convertModel,
  copyTokenizer,
  describeModel,
  isBareModel,
  kendallTau,
  placesBeside,
  quantizeModel,
  writeConfig,
  type BareModel,
  type ModelDescription,
} from './manage/index.js';
export { findModel, hashModel, hashTokenizer, listModels, nameModel } from './models.js';
export {
  BertScorer,
  inputMeaning,
  loadPairCost,
  logOdds,
  type PairScorer,
  PieceCache,
  plan,
  precisionIdentity,
  probabilities,
  sigmoid,
  type Device,
  type InputMeaning,
  type Logits,
  type PairCost,
  type PlanOptions,
  type Precision,
  type ScorerInfo,
  type ScorerOptions,
} from './scorer/index.js';
export { budgetFor, DEFAULT_MAX_LENGTH, sequenceLength, writeSequence } from './sequence.js';
export {
  encoderSizes,
  SIZE_FOLDERS,
  sizeLetter,
  sizeLetters,
  sizeNames,
  type EncoderShape,
  type SizeLetter,
} from './sizes.js';
export { precisionNames } from './compile/index.js';
export { loadTokenizer, loadVocabulary } from './tokenizer/index.js';
export type { PairTemplate, Scorer, ScoreOptions, ScoringCost, TextPair, Tokenizer } from './types.js';
