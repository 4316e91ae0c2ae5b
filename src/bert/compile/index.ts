export { defaultCalibrationPairs } from './calibration-pairs.js';
export { compiledModel, type Precision, writeCompiled } from './compile.js';
