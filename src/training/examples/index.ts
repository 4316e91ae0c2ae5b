export { LazyScorer, type Passage, type PassageSource } from './best-passages.js';
export { chunkExamples } from './chunk-examples.js';
export { type Feedback, gatherFeedback, type QueryFeedback } from './feedback.js';
export { type Example, gather, queriesIn, type QueryExamples, requireBothKinds } from './gather.js';
export { openFoundJournal, type FoundJournal } from './journal.js';
export {
  drawGroup,
  type ResidualExample,
  type ResidualGroup,
  type ResidualQuery,
  residualQueries,
} from './residual-groups.js';
export { type Pairing, portions, type Sequence, sequencesOf } from './sequences.js';
export { UnitStream } from './unit-stream.js';
export { targetsOf, unitsOf } from './units.js';
