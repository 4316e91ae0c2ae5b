export { defaultCalibrationPairs } from './calibrate.js';
export { calibratedForm, compiledGraph, compiledModel, type Precision, precisionNames } from './compile.js';
export { fingerprint } from './fingerprint.js';
export { writeInt8Form } from './int8-file.js';
