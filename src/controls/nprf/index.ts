export { Nprf, type NprfLoadOptions } from './nprf.js';
export { nprfDefaults, trainNprf, type NprfTrainingInputs, type NprfTrainingOptions } from './train.js';
