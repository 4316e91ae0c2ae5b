export type { CedrLengths } from './batches.js';
export { Cedr, type CedrLoadOptions } from './cedr.js';
export { cedrDefaults, cedrHeadRate, trainCedr, type CedrTrainingOptions } from './train.js';
