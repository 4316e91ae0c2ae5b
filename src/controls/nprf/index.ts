export { Nprf, type NprfLoadOptions } from './nprf.js';
export { skipGramDefaults, type SkipGramSettings } from './skip-gram.js';
export { nprfDefaults, trainNprf, type NprfTrainingInputs, type NprfTrainingOptions } from './train.js';
