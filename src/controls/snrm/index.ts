export { LatentIndex, type LatentFacts, type LatentFeedback, type LatentVector } from './latent-index.js';
export { Snrm, type SnrmLoadOptions } from './snrm.js';
export { snrmDefaults, trainSnrm, type SnrmTrainingCall, type SnrmTrainingOptions } from './train.js';
