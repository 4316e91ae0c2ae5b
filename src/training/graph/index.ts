export { type AdamSettings, type Optimiser, publishedAdam } from './adam-nodes.js';
export { BATCH_COLUMNS } from './device-batch.js';
export { groupShape, RUN, scoringLoopGraph, STATE, stateName, trainingLoopGraph } from './device-graph.js';
export { type Dropout, type DropoutMask, maskedDropout, maskShape, noDropout } from './dropout.js';
export { encoderStates } from './encoder.js';
export { headOf, type LossKind } from './loss.js';
export { muonNodes } from './muon-nodes.js';
export {
  gradientOf,
  IDS,
  isTable,
  LOSS,
  PADDING,
  POSITIONS,
  SCORES,
  SEGMENTS,
  TARGETS,
  TOKEN_GRADIENTS,
  TYPES,
  WANTED,
  WORDS,
} from './names.js';
export { decays, type ParameterGroup, parameterGroups, sizeOf, usesMuon } from './parameter-groups.js';
export { scoringGraph, trainingGraph } from './training-graph.js';
export { lossOutputs, weightInputs } from './weights.js';
