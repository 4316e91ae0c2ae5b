export { Cedr, type CedrLoadOptions } from './cedr/cedr.js';
export { cedrHeadRate, type CedrTrainingOptions, trainCedr } from './cedr/train.js';
export { Nprf, type NprfLoadOptions } from './nprf/nprf.js';
export { type NprfTrainingInputs, type NprfTrainingOptions, trainNprf } from './nprf/train.js';
export { type LatentFacts, type LatentFeedback, type LatentVector } from './snrm/latent-index.js';
export { Snrm, type SnrmLoadOptions } from './snrm/snrm.js';
export { type SnrmTrainingCall, type SnrmTrainingOptions, trainSnrm } from './snrm/train.js';
export { trainedMethods, type TrainedMethod } from './folder.js';
export {
  controlScore,
  NetworkReranker,
  type ControlExplanation,
  type ControlOptions,
  type ControlReranking,
  type ControlRerankOptions,
} from './reranker.js';
