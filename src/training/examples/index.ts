export { LazyScorer, type Passage, type PassageSource } from './best-passages.js';
export { chunkExamples } from './chunk-examples.js';
export { type Feedback, type FeedbackMethod, gatherFeedback, type QueryFeedback } from './feedback.js';
export { type Example, gather, queriesIn, type QueryExamples, requireBothKinds } from './gather.js';
export { Journal } from './journal.js';
export { type Pairing, portions, type Sequence, sequencesOf } from './sequences.js';
export { targetsOf, UnitStream } from './units.js';
