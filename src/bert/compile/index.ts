export { defaultCalibrationPairs } from './calibration-pairs.js';
export { compiledModel, type CompileOptions, type Precision, writeCompiled } from './compile.js';
