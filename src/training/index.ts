export type { History } from './history.js';
export { Random } from './random.js';
export { type BaseModel, readBaseModel } from './models.js';
export { lossFigure } from './loss-figure.js';
export { isTrained, type TrainingManifest } from './output.js';
export {
  conflictOf,
  keptWeights,
  lossNames,
  PUBLISHED_TRAINING,
  scheduleNames,
  trainingOptionNames,
  type TrainingOptions,
  trainingPrecisions,
} from './settings.js';
export type { PhaseThreeInputs, TrainingInputs } from './inputs.js';
export type { StepProgress } from './training-loop.js';
export { type TrainCall, trainModel, type TrainProgress } from './train.js';
export { validationMeasure } from './validation.js';
