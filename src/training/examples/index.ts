export { LazyScorer, type PassageSource } from './best-passages.js';
export { type Example, gather, type QueryExamples, requireBothKinds } from './gather.js';
export { PassageJournal } from './journal.js';
export { portions, type Sequence, sequencesOf } from './sequences.js';
export { targetsOf, UnitStream } from './units.js';
