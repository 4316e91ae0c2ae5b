export { defaultCalibrationPairs } from './calibration-pairs.js';
export { compiledModel, type Precision, precisionNames, writeCompiled } from './compile.js';
