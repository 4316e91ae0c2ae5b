export { Cedr, type CedrLoadOptions } from './cedr/cedr.js';
export { cedrDefaults, cedrHeadRate, type CedrTrainingOptions, trainCedr } from './cedr/train.js';
export type { CedrLengths } from './cedr/batches.js';
export { Nprf, type NprfLoadOptions } from './nprf/nprf.js';
export { nprfDefaults, type NprfTrainingInputs, type NprfTrainingOptions, trainNprf } from './nprf/train.js';
export {
  type LatentFacts,
  type LatentFeedback,
  LatentIndex,
  type LatentVector,
} from './snrm/latent-index.js';
export { Snrm, type SnrmLoadOptions } from './snrm/snrm.js';
export { snrmDefaults, type SnrmTrainingCall, type SnrmTrainingOptions, trainSnrm } from './snrm/train.js';
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
