export type { BestPassage } from './best-passages.js';
export { judgedCandidates, sampleCandidates } from './candidates.js';
export { chunkExamples } from './chunk-examples.js';
export { collectFeedback, type Feedback, type PhaseOneDocument, type QueryFeedback } from './feedback.js';
export { type ExampleJournal, openExampleJournal } from './journal.js';
export {
  collectQueryExamples,
  countQueries,
  type Example,
  type QueryExamples,
  requireBothKinds,
} from './query-examples.js';
