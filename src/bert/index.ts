export { openCheckpoint, writeSafetensors } from './checkpoint/index.js';
export { countOf, encoderFlops, weightFlops } from './cost.js';
export { formatModelConfig, type ModelConfig } from './config.js';
export { loadTokenizer, loadVocabulary, readCrossEncoderConfig, readModelConfig } from './model-folder.js';
export { fetchModel } from './hub/fetch-model.js';
export { type Device, deviceNames, deviceStates, installCuda, requireCuda } from './runtime/index.js';
export { type BareModel, checkBareModel, completeModel, isBareModel } from './manage/bare-model.js';
export { convertModel, writeConfig } from './manage/convert.js';
export { copyTokenizer } from './manage/new-folder.js';
export { describeModel, type ModelDescription } from './manage/describe.js';
export { kendallTau } from './manage/kendall.js';
export { quantizeModel } from './manage/quantize.js';
export {
  BertScorer,
  loadPairCost,
  type PairCost,
  type ScorerInfo,
  type ScorerOptions,
} from './scorer/bert-scorer.js';
export { type InputMeaning, inputMeaning } from './scorer/feeds.js';
export { type Logits, logOdds, probabilities, sigmoid } from './scorer/probabilities.js';
export type { PairScorer } from './scorer/pair-scorer.js';
export { plan, type PlanOptions } from './scorer/plan.js';
export { precisionIdentity } from './scorer/model-source.js';
export { encodingOf } from './scorer/window.js';
export { findModel, hashModel, hashTokenizer, listModels, nameModel } from './models.js';
export { budgetFor, DEFAULT_MAX_LENGTH, sequenceLength, writeSequence } from './sequence.js';
export * from './sizes.js';
export { type Precision, precisionNames } from './compile/index.js';
export type { PairTemplate, Scorer, ScoreOptions, ScoringCost, TextPair, Tokenizer } from './types.js';
