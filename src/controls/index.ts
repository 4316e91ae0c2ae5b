export {
  Cedr,
  cedrDefaults,
  cedrHeadRate,
  trainCedr,
  type CedrLengths,
  type CedrLoadOptions,
  type CedrTrainingOptions,
} from './cedr/index.js';
export {
  Nprf,
  nprfDefaults,
  trainNprf,
  type NprfLoadOptions,
  type NprfTrainingInputs,
  type NprfTrainingOptions,
} from './nprf/index.js';
export {
  LatentIndex,
  Snrm,
  snrmDefaults,
  trainSnrm,
  type LatentFacts,
  type LatentFeedback,
  type LatentVector,
  type SnrmLoadOptions,
  type SnrmTrainingCall,
  type SnrmTrainingOptions,
} from './snrm/index.js';
export { trainedMethods, type TrainedMethod } from './folder.js';
export {
  controlScore,
  NetworkReranker,
  type ControlDocument,
  type ControlExplanation,
  type ControlOptions,
  type ControlReranking,
  type ControlRerankOptions,
  type ControlScores,
} from './reranker.js';
