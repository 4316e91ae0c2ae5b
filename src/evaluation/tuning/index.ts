export { choose, type Choice, type Objective } from './choose.js';
export {
  publishedAlphas,
  publishedBetas,
  tuneInterpolation,
  tuningModes,
  type InterpolatedRanker,
  type Interpolation,
  type TuningMode,
  type TuningOptions,
} from './interpolation.js';
export { Validation, type QueryRanker } from './validation.js';
