export { type Dropout, type DropoutMask, maskedDropout, maskShape, noDropout } from './dropout.js';
export { encoderStates } from './encoder.js';
export { headOf, judgesItself, type LossKind } from './loss.js';
export {
  gradientOf,
  IDS,
  isTable,
  LOGITS,
  LOSS,
  PADDING,
  POSITIONS,
  SEGMENTS,
  TARGETS,
  TOKEN_GRADIENTS,
  TYPES,
  WANTED,
  WORDS,
} from './names.js';
export { scoringGraph, trainingGraph } from './training-graph.js';
export { BATCH_COLUMNS } from './device-batch.js';
export type { AdamSettings, Optimiser } from './adam-nodes.js';
export { groupShape, RUN, scoringLoopGraph, STATE, stateName, trainingLoopGraph } from './device-graph.js';
export { MuonNodes, usualMuon } from './muon-nodes.js';
export { decays, type ParameterGroup, parameterGroups, usesMuon } from './parameter-groups.js';
