export { defaultCalibrationPairs } from './calibration-pairs.js';
export {
  calibratedForm,
  type CompiledModel,
  compiledModel,
  type Precision,
  precisionNames,
  writeCompiled,
} from './compile.js';
export { fingerprint } from './fingerprint.js';
export { writeInt8Form } from './int8-file.js';
