export { type History, lossMeasure, type Measure, validationMeasure } from './history.js';
export { Random } from './random.js';
export { type BaseModel, type NewModel, readBaseModel } from './models.js';
export { type ScoredGroup, readGroups } from './groups.js';
export { readTexts } from './text.js';
export { lossFigure } from './loss-figure.js';
export { isTrained, type OutputCall, type TrainingManifest } from './output.js';
export {
  conflictOf,
  PUBLISHED_TRAINING,
  trainingChoices,
  type TrainingNumberName,
  trainingNumbers,
  trainingOptionsOf,
  type TrainingOptions,
} from './settings.js';
export type { PhaseThreeInputs, TrainingInputs } from './inputs.js';
export type { StepProgress } from './training-loop.js';
export { type TrainCall, trainModel, type TrainProgress } from './train.js';
export {
  distilModel,
  type DistillationInputs,
  type LossTrainingCall,
  type LossTrainingProgress,
  pretrainModel,
  type PretrainingInputs,
} from './train-by-loss.js';
export type { GroupCounts } from './data/distilled-data.js';
export type { TextCounts } from './data/text-data.js';
